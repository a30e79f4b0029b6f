import { Effect } from "effect"
import { campaign } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { fakeClocks, jumpNowAndThen, type Reach } from "./support/fakeClocks.ts"

const names = ["the database", "replica 1", "replica 2", "replica 3"]

const reach: Reach = [60, 240]

/** Three replicas publish while their clocks and their database's jump ahead and back. */
campaign("clock jumps", { posts: 1000, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const clocks = yield* fakeClocks(directory, names)
    const [ofDatabase, ...ofReplicas] = clocks
    if (ofDatabase === undefined) return yield* Effect.die("There are no clocks")
    const env = Object.entries(ofDatabase.env).map(([name, value]) => `${name}=${value}`)
    const { url } = yield* restartableDatabase({ dataDir: directory, env })
    let jumps = 0
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.05,
      postsPerSecond: 10,
      window: 20_000,
      env: (name: string) => clocks.find((clock) => clock.name === name)?.env ?? {},
      trouble: () => jumpNowAndThen(ofDatabase, ofReplicas, reach, () => void jumps++),
      beside: () => ({ jumps })
    }
  })
)
