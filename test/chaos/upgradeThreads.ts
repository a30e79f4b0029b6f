import { Effect } from "effect"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killAllButOne } from "./support/kills.ts"
import { runThreads } from "./support/threadCampaign.ts"
import { checkOutVersionBefore, versionBefore } from "./support/versionBefore.ts"

/**
 * Fault injection: a replica of the previous version, which doesn't support threads, runs alongside two replicas of
 * this version on the migrated database. The two are killed while threads are published. The previous version may
 * publish single posts, and must not touch threads.
 */
runScript(
  `threads beside ${versionBefore}`,
  { posts: 0, threads: 40, seed: "1", pace: 10 },
  (directory, options, log) =>
    Effect.gen(function* () {
      const { url } = yield* restartableDatabase({ dataDir: directory })
      const program = yield* checkOutVersionBefore(directory)
      let kills = 0
      let freezes = 0
      return yield* runThreads(
        options,
        directory,
        {
          databaseUrl: url,
          replicas: 2,
          faultRate: 0.05,
          env: () => ({ CHAOS_REAL_LEASES: "1" }),
          injectFaults: ({ addReplica, replicas }) =>
            Effect.gen(function* () {
              const before = yield* addReplica("version before", program)
              yield* Effect.andThen(before.start, before.ready)
              yield* log("The version before runs beside")
              return yield* killAllButOne(
                replicas,
                () => void kills++,
                () => void freezes++
              )
            }).pipe(Effect.scoped),
          extraRows: () => ({ kills, freezes })
        },
        log
      )
    })
)
