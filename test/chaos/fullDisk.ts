import { Effect } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { makeOutageRecord, outageRows, injectOutages } from "./support/outages.ts"
import { smallDisk } from "./support/smallDisk.ts"

/**
 * Fault injection: three replicas publish while the disk of PostgreSQL fills up, sometimes without space for its
 * write-ahead log.
 */
runCampaignScript("full disk", { posts: 600, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const disk = yield* smallDisk(directory, 160)
    const settings = ["max_wal_size=48MB", "min_wal_size=32MB"]
    const { asSuperuser, start, url } = yield* restartableDatabase({ dataDir: disk.path, settings })
    const record = makeOutageRecord()
    const exhaustWal = Effect.repeat(
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
      dueWindow: 20_000,
      injectFaults: (world, log) =>
        injectOutages(
          world,
          [
            { name: "full disks", begin: disk.fill, duration: [5_000, 10_000], end: Effect.andThen(disk.free, start) },
            {
              name: "full disks without room for the log",
              begin: Effect.andThen(disk.fill, exhaustWal),
              duration: [5_000, 10_000],
              end: Effect.andThen(disk.free, start)
            }
          ],
          record,
          log
        ),
      extraRows: () => outageRows(record),
      extraFailures: () => record.wrongResponses
    }
  })
)
