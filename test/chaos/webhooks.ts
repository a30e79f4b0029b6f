import { Clock, Effect, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import { nextPostId, type WorkspaceId } from "../../src/domain/ids.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { formatTable } from "../bench/support/report.ts"
import { percentile } from "../bench/support/statistics.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killRepeatedly } from "./support/kills.ts"
import { makeReplica } from "./support/replica.ts"
import { startReceivers } from "./support/webhookReceivers.ts"
import { encryptionKey, repoLayer } from "./support/world.ts"

const endpoints = 100
/** The endpoint that hangs while it is dead, and the one that fails a quarter of its calls. */
const dead = 0
const flaky = 1
const replicas = 3
const eventsPerSecond = 50
const timeoutMillis = 15 * 60_000

interface Recorded {
  readonly at: number
  readonly endpoint: number
}

/**
 * Fault injection: what webhooks are sent while replicas are killed. Before that it measures how long an event takes, first
 * while every endpoint responds, then while one of them hangs.
 */
runScript("webhooks", { posts: 5000, seed: "1", pace: 20 }, (directory, { pace, posts: count }, log) =>
  Effect.gen(function* () {
    const { url } = yield* restartableDatabase({ dataDir: directory })
    const receivers = yield* startReceivers
    const recorded = new Map<string, Recorded>()

    return yield* Effect.gen(function* () {
      yield* migrate
      const { events, webhooks, workspaces } = yield* Repo
      const ids = yield* Effect.forEach(Array.from({ length: endpoints }), (_, number) =>
        Effect.gen(function* () {
          const { id } = yield* workspaces.create(`Workspace ${number}`)
          yield* webhooks.create(id, { url: `${receivers.url}/${number}`, description: null, events: null })
          return id
        })
      )

      /** Records a deletion in a workspace, which is the smallest event. Its post's id names it. */
      const record = Effect.fnUntraced(function* (workspaceId: WorkspaceId, endpoint: number) {
        const post_id = yield* nextPostId
        recorded.set(post_id, { endpoint, at: yield* Clock.currentTimeMillis })
        yield* events.record({
          events: [{ workspaceId, event: { type: "post.deleted", data: { post_id } } }],
          notifications: []
        })
        return post_id
      })

      /** Records events of the workspaces in turn, at a steady rate. */
      const recordMany = Effect.fnUntraced(function* (many: number) {
        const names: Array<string> = []
        for (let number = 0; number < many; number++) {
          const endpoint = number % endpoints
          const workspaceId = ids[endpoint]
          if (workspaceId !== undefined) names.push(yield* record(workspaceId, endpoint))
          yield* Effect.sleep(1000 / eventsPerSecond)
        }
        return names
      })

      const isMissing = (name: string) => !receivers.arrivals.has(name)
      const waitFor = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
        const end = (yield* Clock.currentTimeMillis) + timeoutMillis
        while (names.some(isMissing) && (yield* Clock.currentTimeMillis) < end) yield* Effect.sleep("100 millis")
      })

      /** The 99th percentile of the time until events arrive at endpoints that respond, in milliseconds. */
      const delayOf = Effect.fnUntraced(function* (many: number) {
        const names = yield* recordMany(many)
        const healthy = names.filter((name) => recorded.get(name)?.endpoint !== dead)
        yield* waitFor(healthy)
        const delays = healthy.map((name) => (receivers.arrivals.get(name)?.at ?? 0) - (recorded.get(name)?.at ?? 0))
        return Math.round(percentile(delays, 0.99))
      })

      const started = yield* Effect.forEach(Array.from({ length: replicas }), (_, number) =>
        makeReplica({
          name: `replica ${number + 1}`,
          pace,
          directory,
          env: {
            CHAOS_REAL_LEASES: "1",
            DATABASE_URL: Redacted.value(url),
            ENCRYPTION_KEY: Base64.encode(encryptionKey),
            PLATFORMS: "sandbox"
          }
        })
      )
      yield* Effect.forEach(started, ({ ready, start }) => Effect.andThen(start, ready), { concurrency: "unbounded" })
      yield* log(`${replicas} replicas are ready`)
      const measured = Math.ceil(count / 5)
      yield* delayOf(endpoints)
      const usual = yield* delayOf(measured)
      yield* log(`an event takes ${usual} ms (p99)`)
      receivers.hang(dead)
      // Until the endpoint's circuit is open.
      yield* delayOf(endpoints * 5)
      const besideDead = yield* delayOf(measured)
      yield* log(`an event takes ${besideDead} ms (p99) beside a dead endpoint`)
      receivers.respond(dead)
      receivers.failQuarter(flaky)

      let kills = 0
      yield* Effect.forkScoped(killRepeatedly(started, () => void kills++))
      yield* recordMany(count)
      yield* log(`${count} events are recorded`)
      yield* waitFor([...recorded.keys()])

      const lost = [...recorded.keys()].filter(isMissing)
      const arrived = [...receivers.arrivals.values()]
      const renamed = arrived.filter((arrival) => arrival.ids.size > 1)
      return {
        table: formatTable([
          {
            events: recorded.size,
            lost: lost.length,
            "under several ids": renamed.length,
            "more than once": arrived.filter((arrival) => arrival.count > 1).length,
            kills,
            "failed calls": receivers.failures(),
            "p99, ms": usual,
            "p99 beside a dead endpoint, ms": besideDead
          }
        ]),
        failures: [
          ...lost.map((name) => `The event of post ${name} was lost`),
          ...(renamed.length > 0 ? ["An event arrived under several ids"] : []),
          ...(besideDead > 2 * usual ? ["A dead endpoint more than doubles the delay of the others"] : [])
        ]
      }
    }).pipe(Effect.provide(repoLayer(url)))
  })
)
