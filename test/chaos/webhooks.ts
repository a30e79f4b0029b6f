import { Clock, Effect, Fiber, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import path from "node:path"
import { nextPostId, type WorkspaceId } from "../../src/domain/ids.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { formatTable } from "../bench/support/report.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killRepeatedly } from "./support/kills.ts"
import { makeReplica } from "./support/replica.ts"
import { startReceivers } from "./support/webhookReceivers.ts"
import { encryptionKey, repoLayer } from "./support/world.ts"

const endpoints = 20
/** `dead` hangs while events are recorded. `flaky` fails a quarter of its calls. */
const dead = 0
const flaky = 1
const replicas = 3
const eventsPerSecond = 50
const timeoutMillis = 5 * 60_000

/**
 * Fault injection: replicas are killed while they send events to webhooks. The shortened waits include the leases of
 * deliveries.
 */
runScript("webhooks", { posts: 1000, seed: "1", pace: 100 }, (directory, { pace, posts: count }, log) =>
  Effect.gen(function* () {
    const { url } = yield* restartableDatabase({ dataDir: directory })
    const receivers = yield* startReceivers

    return yield* Effect.gen(function* () {
      yield* migrate
      const { events, webhooks, workspaces } = yield* Repo
      const targets = yield* Effect.forEach(Array.from({ length: endpoints }), (_, number) =>
        Effect.gen(function* () {
          const { id } = yield* workspaces.create(`Workspace ${number}`)
          yield* webhooks.create(id, { url: `${receivers.url}/${number}`, description: null, events: null })
          return id
        })
      )

      /** Records the smallest event, a deletion, in a workspace. The id of the deleted post identifies the event. */
      const record = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
        const post_id = yield* nextPostId
        yield* events.record({
          events: [{ workspaceId, event: { type: "post.deleted", data: { post_id } } }],
          notifications: []
        })
        yield* Effect.sleep(1000 / eventsPerSecond)
        return post_id
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
            PLATFORMS: "sandbox",
            // The replicas share the media files.
            DATA_DIR: path.join(directory, "data")
          }
        })
      )
      yield* Effect.forEach(started, ({ ready, start }) => Effect.andThen(start, ready), { concurrency: "unbounded" })
      yield* log(`${replicas} replicas are ready`)
      const begun = yield* Clock.currentTimeMillis
      receivers.hang(dead)
      receivers.failQuarter(flaky)

      let kills = 0
      const killing = yield* Effect.forkScoped(killRepeatedly(started, () => void kills++))
      const rounds = Array.from({ length: Math.ceil(count / endpoints) }, () => targets).flat()
      const recorded = yield* Effect.forEach(rounds.slice(0, count), record)
      yield* log(`${count} events are recorded`)
      yield* Fiber.interrupt(killing)
      receivers.respond(dead)

      const isMissing = (name: string) => !receivers.arrivals.has(name)
      const end = (yield* Clock.currentTimeMillis) + timeoutMillis
      while (recorded.some(isMissing) && (yield* Clock.currentTimeMillis) < end) yield* Effect.sleep("100 millis")

      const lost = recorded.filter(isMissing)
      const arrived = [...receivers.arrivals.values()]
      const renamed = arrived.filter((arrival) => arrival.ids.size > 1)
      const crashes = started.reduce((sum, replica) => sum + replica.crashes(), 0)
      return {
        table: formatTable([
          {
            events: recorded.length,
            lost: lost.length,
            "under several ids": renamed.length,
            "more than once": arrived.filter((arrival) => arrival.count > 1).length,
            kills,
            "failed calls": receivers.failures(),
            seconds: Math.round(((yield* Clock.currentTimeMillis) - begun) / 1000)
          }
        ]),
        failures: [
          ...lost.map((name) => `The event of post ${name} was lost`),
          ...(renamed.length > 0 ? ["An event arrived under several ids"] : []),
          ...(crashes > 0 ? [`${crashes} replicas exited by themselves`] : [])
        ]
      }
    }).pipe(Effect.provide(repoLayer(url)))
  })
)
