import { Effect } from "effect"
import { campaign } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { newRecord, rowsOf, troubleDatabase } from "./support/databaseTrouble.ts"

/** Three replicas publish while their PostgreSQL is restarted, crashes, is away for a while, and freezes. */
campaign("database restarts and freezes", { posts: 1500, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ freeze, start, stop, url }) => {
    const record = newRecord()
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.02,
      postsPerSecond: 8,
      window: 20_000,
      trouble: (world, say) =>
        troubleDatabase(
          world,
          [
            { name: "fast restarts", begin: stop("fast"), length: [0, 1], end: start },
            { name: "short freezes", begin: freeze(true), length: [500, 4_000], end: freeze(false) },
            { name: "crashes", begin: stop("immediate"), length: [0, 1], end: start },
            { name: "long freezes", begin: freeze(true), length: [10_000, 15_000], end: freeze(false) },
            { name: "absences", begin: stop("fast"), length: [5_000, 10_000], end: start },
            { name: "long absences", begin: stop("immediate"), length: [62_000, 75_000], end: start }
          ],
          record,
          say
        ),
      beside: () => rowsOf(record),
      faults: () => record.wrong
    }
  })
)
