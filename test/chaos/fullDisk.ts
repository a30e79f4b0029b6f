import { Effect } from "effect"
import { campaign } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { newRecord, rowsOf, troubleDatabase } from "./support/databaseTrouble.ts"
import { smallDisk } from "./support/smallDisk.ts"

/** Three replicas publish while the disk of their PostgreSQL is full now and then; once it is, it may not even write its log. */
campaign("full disk", { posts: 600, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const disk = yield* smallDisk(directory, 160)
    const settings = ["max_wal_size=48MB", "min_wal_size=32MB"]
    const { asSuperuser, start, url } = yield* restartableDatabase({ dataDir: disk.path, settings })
    const record = newRecord()
    const exhaustLog = Effect.repeat(
      Effect.ignoreCause(asSuperuser("SELECT pg_switch_wal(), pg_current_wal_insert_lsn()")),
      {
        times: 8
      }
    )
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0.02,
      postsPerSecond: 10,
      window: 20_000,
      trouble: (world, say) =>
        troubleDatabase(
          world,
          [
            { name: "full disks", begin: disk.fill, length: [5_000, 10_000], end: Effect.andThen(disk.free, start) },
            {
              name: "full disks without room for the log",
              begin: Effect.andThen(disk.fill, exhaustLog),
              length: [5_000, 10_000],
              end: Effect.andThen(disk.free, start)
            }
          ],
          record,
          say
        ),
      beside: () => rowsOf(record),
      faults: () => record.wrong
    }
  })
)
