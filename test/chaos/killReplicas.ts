import { Effect } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killRepeatedly } from "./support/replica.ts"

/** Fault injection: SIGKILL to one of three replicas every second or two, with a platform that fails a quarter of the sends. */
runCampaignScript("kill -9 of replicas", { posts: 2000, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ url }) => {
    let kills = 0
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.05,
      postsPerSecond: 50,
      dueWindow: 20_000,
      injectFaults: ({ replicas }) => killRepeatedly(replicas, () => void kills++),
      extraRows: () => ({ kills })
    }
  })
)
