import { Effect } from "effect"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killAllButOne } from "./support/kills.ts"
import { runThreads } from "./support/threadCampaign.ts"

/**
 * Fault injection: two of three replicas get SIGKILL every second or two while they publish single posts on all
 * platforms, and threads part by part. The platforms fail a quarter of the sends, and sometimes X or Threads can't find a
 * part when the next part replies to it.
 */
runScript(
  "kill -9 between posts and parts of threads",
  { posts: 200, threads: 40, seed: "1", pace: 10 },
  (directory, options, log) =>
    Effect.gen(function* () {
      const { url } = yield* restartableDatabase({ dataDir: directory })
      let kills = 0
      let freezes = 0
      return yield* runThreads(
        options,
        directory,
        {
          databaseUrl: url,
          replicas: 3,
          platforms: livePlatforms,
          faultRate: 0.05,
          env: () => ({ CHAOS_REAL_LEASES: "1" }),
          injectFaults: ({ replicas }) =>
            killAllButOne(
              replicas,
              () => void kills++,
              () => void freezes++
            ),
          extraRows: () => ({ kills, freezes })
        },
        log
      )
    })
)
