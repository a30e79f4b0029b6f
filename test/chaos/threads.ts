import { Effect } from "effect"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killAllButOne } from "./support/kills.ts"
import { runThreads } from "./support/threadCampaign.ts"

/**
 * Fault injection: SIGKILL to two of three replicas every second or two while they publish threads part by part, with a platform that
 * fails a quarter of the sends and now and then does not show X's parts to their replies.
 */
runScript("kill -9 between the parts of threads", { posts: 100, seed: "1", pace: 10 }, (directory, options, log) =>
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
