import { Effect } from "effect"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { makeOutageRecord, outageRows, injectOutages } from "./support/outages.ts"

/**
 * Fault injection: three replicas publish while PostgreSQL restarts, crashes, freezes, or is unavailable for a while.
 */
runCampaignScript("database restarts and freezes", { posts: 1500, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ freeze, start, stop, url }) => {
    const record = makeOutageRecord()
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.02,
      postsPerSecond: 8,
      dueWindow: 20_000,
      mediaEvery: 3,
      platforms: livePlatforms,
      injectFaults: (world, log) =>
        injectOutages(
          world,
          [
            { name: "fast restarts", begin: stop("fast"), duration: [0, 1], end: start },
            { name: "short freezes", begin: freeze(true), duration: [500, 4_000], end: freeze(false) },
            { name: "crashes", begin: stop("immediate"), duration: [0, 1], end: start },
            { name: "long freezes", begin: freeze(true), duration: [10_000, 15_000], end: freeze(false) },
            { name: "outages", begin: stop("fast"), duration: [5_000, 10_000], end: start },
            { name: "long outages", begin: stop("immediate"), duration: [62_000, 75_000], end: start }
          ],
          record,
          log
        ),
      extraRows: () => outageRows(record),
      extraFailures: () => record.wrongResponses
    }
  })
)
