import { Clock, Effect, Random, Schedule } from "effect"
import { call } from "./calls.ts"
import type { World } from "./world.ts"

/** Takes the database away and brings it back. */
export interface Outage {
  readonly name: string
  readonly begin: Effect.Effect<unknown>
  /** In milliseconds, at least and at most. */
  readonly length: readonly [number, number]
  readonly end: Effect.Effect<unknown>
}

/** What the replicas did while the database was away, for the table. */
export interface OutageRecord {
  readonly counts: Map<string, number>
  /** Answers that were neither 200 nor a 503 as it has to be. */
  readonly wrong: Array<string>
  /** In milliseconds. */
  slowestAnswer: number
  slowestReturn: number
}

export const newRecord = (): OutageRecord => ({ counts: new Map(), wrong: [], slowestAnswer: 0, slowestReturn: 0 })

/** Every quarter of a second, asks each replica for a list and for its health. */
const watch = ({ keys, replicas }: World, record: OutageRecord) =>
  Effect.forEach(
    replicas,
    (replica) =>
      Effect.gen(function* () {
        const list = yield* call(`${replica.url}/v1/posts?limit=1`, { key: keys[0] ?? "" })
        const health = yield* call(`${replica.url}/healthz`)
        record.slowestAnswer = Math.max(record.slowestAnswer, list.took)
        const spoken =
          list.headers.get("content-type") === "application/problem+json" && list.headers.has("retry-after")
        if (list.status !== 200 && !(list.status === 503 && spoken)) {
          record.wrong.push(`${replica.name} answered ${list.status} after ${list.took} ms: ${list.text.slice(0, 200)}`)
        }
        if (health.status !== 200) record.wrong.push(`${replica.name}: /healthz answered ${health.status}`)
      }).pipe(Effect.repeat(Schedule.spaced("250 millis"))),
    { concurrency: "unbounded", discard: true }
  )

/** Waits until each replica lists posts again, and notes how long that took. */
const untilServed = ({ keys, replicas }: World, record: OutageRecord) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      replicas,
      (replica) =>
        call(`${replica.url}/v1/posts?limit=1`, { key: keys[0] ?? "" }).pipe(
          Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") })
        ),
      { concurrency: "unbounded", discard: true }
    )
    record.slowestReturn = Math.max(record.slowestReturn, (yield* Clock.currentTimeMillis) - began)
  })

/** One outage after the other, for ever, each followed by a few seconds in which the service can work. */
export const troubleDatabase = (
  world: World,
  outages: ReadonlyArray<Outage>,
  record: OutageRecord,
  say: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(watch(world, record))
    for (let number = 0; ; number++) {
      const outage = outages[number % outages.length]
      if (outage === undefined) return yield* Effect.never
      yield* Effect.sleep(yield* Random.nextIntBetween(2_000, 5_000))
      yield* say(`the database: ${outage.name}`)
      yield* outage.begin
      yield* Effect.sleep(yield* Random.nextIntBetween(...outage.length))
      yield* outage.end
      yield* say("the database is back")
      yield* untilServed(world, record)
      record.counts.set(outage.name, (record.counts.get(outage.name) ?? 0) + 1)
    }
  }).pipe(Effect.scoped)

/** The record's rows of the table. */
export const rowsOf = (record: OutageRecord) => ({
  ...Object.fromEntries(record.counts),
  "slowest answer": `${(record.slowestAnswer / 1000).toFixed(1)} s`,
  "slowest return": `${(record.slowestReturn / 1000).toFixed(1)} s`,
  "wrong answers": record.wrong.length
})
