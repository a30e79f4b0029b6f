import { Effect, Random } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"

const role = "social_publisher_service"

/**
 * Fault injection: one of three replicas is killed. Then PostgreSQL refuses new connections for a while and closes some
 * open connections. Leases are not shorter.
 */
runCampaignScript("connection limits", { posts: 300, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ asSuperuser, url }) => {
    let limits = 0
    let kills = 0
    const run = (statement: string) => Effect.orDie(asSuperuser(statement))
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.02,
      postsPerSecond: 10,
      dueWindow: 20_000,
      env: () => ({ CHAOS_REAL_LEASES: "1" }),
      injectFaults: ({ replicas }, log) =>
        Effect.forever(
          Effect.gen(function* () {
            const killed = yield* Effect.orDie(Random.choice(replicas))
            yield* Effect.uninterruptible(Effect.andThen(killed.end("SIGKILL"), killed.start))
            kills++
            yield* killed.ready
            const share = yield* Random.nextIntBetween(10, 70)
            yield* run(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
            yield* run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE usename = '${role}' AND random() * 100 < ${share}`)
            limits++
            yield* log(`no further connection, and ${share}% of the open ones are closed`)
            yield* Effect.sleep(yield* Random.nextIntBetween(5_000, 45_000))
            yield* run(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
            yield* log("connections are allowed again")
            yield* Effect.forEach(replicas, ({ ready }) => ready, { concurrency: "unbounded", discard: true })
            yield* Effect.sleep(yield* Random.nextIntBetween(2_000, 10_000))
          })
        ),
      extraRows: () => ({ limits, kills })
    }
  })
)
