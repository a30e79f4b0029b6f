import { Clock, Effect, Random, Schedule } from "effect"
import { call } from "./support/calls.ts"
import { type Log, runCampaignScript } from "./support/campaign.ts"
import { type Loss, replicatedDatabase } from "./support/replicatedDatabase.ts"
import type { World } from "./support/world.ts"

const losses: ReadonlyArray<Loss> = ["killed", "cut off"]

/**
 * Fault injection: three replicas of the service publish while the primary is lost and its synchronous replica is
 * promoted.
 */
runCampaignScript("failovers of PostgreSQL", { posts: 1000, seed: "1", pace: 10 }, (directory) =>
  Effect.map(replicatedDatabase(directory), ({ failOver, repair, url }) => {
    const counts = new Map<Loss, number>()
    let slowestRecovery = 0

    /** Waits until each replica of the service can create drafts again. */
    const waitUntilServed = ({ keys, replicas }: World) =>
      Effect.forEach(
        replicas,
        (replica) =>
          call(`${replica.url}/v1/posts`, {
            method: "POST",
            key: keys[0],
            body: { content: "Draft", platforms: ["twitter"] }
          }).pipe(Effect.repeat({ until: ({ status }) => status === 201, schedule: Schedule.spaced("50 millis") })),
        { concurrency: "unbounded", discard: true }
      )

    const failOverRepeatedly = Effect.fnUntraced(function* (world: World, log: Log) {
      for (let number = 0; ; number++) {
        yield* Effect.sleep(yield* Random.nextIntBetween(4_000, 8_000))
        const loss = losses[number % losses.length] ?? "killed"
        yield* log(`the primary is ${loss}`)
        yield* failOver(loss, Effect.sleep(yield* Random.nextIntBetween(500, 6_000)))
        const promoted = yield* Clock.currentTimeMillis
        yield* waitUntilServed(world)
        slowestRecovery = Math.max(slowestRecovery, (yield* Clock.currentTimeMillis) - promoted)
        counts.set(loss, (counts.get(loss) ?? 0) + 1)
        yield* log("the promoted replica serves")
        yield* repair
      }
    })
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.02,
      postsPerSecond: 10,
      dueWindow: 20_000,
      isDraft: (content: string) => content === "Draft",
      injectFaults: (world: World, log: Log) => Effect.orDie(failOverRepeatedly(world, log)),
      extraRows: () => ({
        ...Object.fromEntries([...counts].map(([loss, count]) => [`primaries ${loss}`, count])),
        "slowest recovery": `${(slowestRecovery / 1000).toFixed(1)} s`
      })
    }
  })
)
