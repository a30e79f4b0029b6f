import { Clock, Effect, Random, Schedule } from "effect"
import { call } from "./calls.ts"
import type { World } from "./world.ts"

export interface Outage {
  readonly name: string
  readonly begin: Effect.Effect<unknown>
  /** The shortest and the longest outage, in milliseconds. */
  readonly duration: readonly [number, number]
  readonly end: Effect.Effect<unknown>
}

/** The replicas' responses during outages, for the table. */
export interface OutageRecord {
  readonly counts: Map<string, number>
  /** Responses that were neither a 200 nor a 503 with problem+json and Retry-After. */
  readonly wrongResponses: Array<string>
  /** In milliseconds. */
  slowestResponse: number
  slowestRecovery: number
}

export const makeOutageRecord = (): OutageRecord => ({
  counts: new Map(),
  wrongResponses: [],
  slowestResponse: 0,
  slowestRecovery: 0
})

/** Requests a list from each replica, and its health, every 250 ms. */
const watch = ({ keys, replicas }: World, record: OutageRecord) =>
  Effect.forEach(
    replicas,
    (replica) =>
      Effect.gen(function* () {
        const list = yield* call(`${replica.url}/v1/posts?limit=1`, { key: keys[0] ?? "" })
        const health = yield* call(`${replica.url}/healthz`)
        record.slowestResponse = Math.max(record.slowestResponse, list.took)
        const isProblem =
          list.headers.get("content-type") === "application/problem+json" && list.headers.has("retry-after")
        if (list.status !== 200 && !(list.status === 503 && isProblem)) {
          record.wrongResponses.push(
            `${replica.name} responded ${list.status} after ${list.took} ms: ${list.text.slice(0, 200)}`
          )
        }
        if (health.status !== 200) record.wrongResponses.push(`${replica.name}: /healthz responded ${health.status}`)
      }).pipe(Effect.repeat(Schedule.spaced("250 millis"))),
    { concurrency: "unbounded", discard: true }
  )

/** Waits until each replica lists posts again, and records how long this takes. */
const waitUntilServed = ({ keys, replicas }: World, record: OutageRecord) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      replicas,
      (replica) =>
        call(`${replica.url}/v1/posts?limit=1`, { key: keys[0] ?? "" }).pipe(
          Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") })
        ),
      { concurrency: "unbounded", discard: true }
    )
    record.slowestRecovery = Math.max(record.slowestRecovery, (yield* Clock.currentTimeMillis) - start)
  })

/** Repeats the outages one after another forever, with a few seconds between two outages for the service to work. */
export const injectOutages = (
  world: World,
  outages: ReadonlyArray<Outage>,
  record: OutageRecord,
  log: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(watch(world, record))
    for (let number = 0; ; number++) {
      const outage = outages[number % outages.length]
      if (outage === undefined) return yield* Effect.never
      yield* Effect.sleep(yield* Random.nextIntBetween(2_000, 5_000))
      yield* log(`the database: ${outage.name}`)
      yield* outage.begin
      yield* Effect.sleep(yield* Random.nextIntBetween(...outage.duration))
      yield* outage.end
      yield* log("the database is back")
      yield* waitUntilServed(world, record)
      record.counts.set(outage.name, (record.counts.get(outage.name) ?? 0) + 1)
    }
  }).pipe(Effect.scoped)

export const outageRows = (record: OutageRecord) => ({
  ...Object.fromEntries(record.counts),
  "slowest response": `${(record.slowestResponse / 1000).toFixed(1)} s`,
  "slowest recovery": `${(record.slowestRecovery / 1000).toFixed(1)} s`,
  "wrong responses": record.wrongResponses.length
})
