import { Effect } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { makeFakeClocks, jumpClocks, type JumpRange } from "./support/fakeClocks.ts"

const names = ["the database", "replica 1", "replica 2", "replica 3"]

const range: JumpRange = [60, 240]

/** Fault injection: three replicas publish while their wall clocks and PostgreSQL's jump forward and back. */
runCampaignScript("clock jumps", { posts: 1000, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const clocks = yield* makeFakeClocks(directory, names)
    const [databaseClock, ...replicaClocks] = clocks
    if (databaseClock === undefined) return yield* Effect.die("There are no clocks")
    const env = Object.entries(databaseClock.env).map(([name, value]) => `${name}=${value}`)
    const { url } = yield* restartableDatabase({ dataDir: directory, env })
    let jumps = 0
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.05,
      postsPerSecond: 10,
      dueWindow: 20_000,
      env: (name: string) => clocks.find((clock) => clock.name === name)?.env ?? {},
      injectFaults: () => jumpClocks(databaseClock, replicaClocks, range, () => void jumps++),
      extraRows: () => ({ jumps })
    }
  })
)
