import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "dashboard-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
)

const start = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
  const port = yield* Effect.promise(freePort)
  const database = yield* freshDatabase
  const env = {
    PORT: String(port),
    DATA_DIR: yield* directory,
    DATABASE_URL: Redacted.value(database),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    // One workspace gets the requests of twenty tests in a minute.
    RATE_LIMIT_PER_MINUTE: "100000",
    ...more
  }
  const greeting = yield* TestClock.withLive(runService(env))
  const [, key = ""] = /API key {5}(\S+)/.exec(greeting) ?? []
  const command = Effect.fnUntraced(function* (args: ReadonlyArray<string>, input = "") {
    const { code, errors, output } = yield* TestClock.withLive(runCommand(args, env, input))
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`)
    return output
  })
  return { url: `http://127.0.0.1:${port}`, key, command, database }
})

/** The whole service, with the demo workspace, the sandbox and its own database. */
export class Dashboard extends Context.Service<
  Dashboard,
  {
    readonly url: string
    /** A key of the demo workspace with all scopes. */
    readonly key: string
    /** Runs a command on the same data with an input, and returns its output. */
    readonly command: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<string>
    /** The URL of its database. */
    readonly database: Redacted.Redacted
  }
>()("test/Dashboard") {
  static readonly layer = Layer.effect(Dashboard, start())
  /** Has four platforms. */
  static readonly withPlatforms = Layer.effect(Dashboard, start({ ENABLE_PLATFORMS: "linkedin,threads" }))
  /** Includes the demo's example posts. */
  static readonly withExamples = Layer.effect(Dashboard, start({ DEMO_EXAMPLES: "on" }))
}
