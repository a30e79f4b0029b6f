import { Effect, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"

/**
 * Fault injection: PostgreSQL crashes when X gets a post and has not responded yet. By the role's own setting,
 * PostgreSQL confirms a commit before it is on the disk.
 */
runCampaignScript("crashes of PostgreSQL as X gets a post", { posts: 200, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const { asSuperuser, start, url } = yield* restartableDatabase({ dataDir: directory })
    const role = decodeURIComponent(new URL(Redacted.value(url)).username)
    yield* asSuperuser(`ALTER ROLE "${role}" SET synchronous_commit = 'off'`)
    const lockFile = path.join(directory, "postgres", "data", "postmaster.pid")
    const readServer = Effect.promise(() =>
      readFile(lockFile, "utf8").then(
        (text) => text.split("\n")[0],
        () => undefined
      )
    )
    let server = yield* readServer
    let crashes = 0
    const restart = Effect.gen(function* () {
      yield* start
      const current = yield* readServer
      if (current === undefined || current === server) return
      server = current
      crashes += 1
    })
    return {
      databaseUrl: url,
      replicas: 3,
      faultRate: 0,
      crashing: lockFile,
      postsPerSecond: 4,
      dueWindow: 10_000,
      injectFaults: () => Effect.forever(Effect.andThen(restart, Effect.sleep("50 millis"))),
      extraRows: () => ({ crashes })
    }
  })
)
