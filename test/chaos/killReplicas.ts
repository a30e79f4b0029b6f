import { Effect } from "effect"
import { campaign } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killNowAndThen } from "./support/killNowAndThen.ts"

/** Three replicas publish, and every second or two one of them is killed, on a platform that fails a quarter of the sends. */
campaign("kill -9 of replicas", { posts: 2000, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ url }) => {
    let kills = 0
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.05,
      postsPerSecond: 50,
      window: 20_000,
      trouble: ({ replicas }) => killNowAndThen(replicas, () => void kills++),
      beside: () => ({ kills })
    }
  })
)
