import { Effect } from "effect"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killAllButOne } from "./support/kills.ts"
import { makePickUps } from "./support/pickUps.ts"

/**
 * Fault injection: two of three replicas get SIGKILL every second or two, or SIGSTOP for longer than a lease. The
 * platform fails a quarter of the sends. Only retries are shorter, not leases, because the campaign also measures how
 * soon another replica takes over the claims of a killed replica.
 */
runCampaignScript("kill -9 of replicas", { posts: 2000, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ url }) => {
    let kills = 0
    let freezes = 0
    const pickUps = makePickUps(url)
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.05,
      postsPerSecond: 10,
      dueWindow: 20_000,
      twinEvery: 10,
      mediaEvery: 3,
      platforms: livePlatforms,
      env: () => ({ CHAOS_REAL_LEASES: "1" }),
      injectFaults: ({ replicas }) =>
        Effect.raceFirst(
          killAllButOne(
            replicas,
            () => void kills++,
            () => void freezes++
          ),
          Effect.orDie(pickUps.watch).pipe(Effect.andThen(Effect.never))
        ),
      extraRows: () => ({ kills, freezes, ...pickUps.rows() }),
      extraFailures: pickUps.failures
    }
  })
)
