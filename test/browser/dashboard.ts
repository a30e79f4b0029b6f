import { ConfigProvider, Console, Context, Effect, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { configuration } from "../../src/config.ts"
import { dashboardBundle, DashboardSource } from "../../src/wiring/dashboard.ts"
import { serviceLayer } from "../../src/wiring/service.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "dashboard-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
)

/** Bundled once for all files of this process. */
const bundle = Effect.runSync(Effect.cached(dashboardBundle))

const start = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const env = {
    PORT: String(port),
    DATA_DIR: yield* directory,
    DATABASE_URL: Redacted.value(yield* freshDatabase),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64")
  }
  let greeting = ""
  const config = yield* configuration.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
  yield* Layer.build(serviceLayer(config)).pipe(
    Effect.provideService(DashboardSource, bundle),
    Effect.provideService(Console.Console, { ...globalThis.console, log: (text: string) => void (greeting += text) }),
    Effect.provide(Logger.layer([])),
    TestClock.withLive
  )
  const [, key = ""] = /API key {5}(\S+)/.exec(greeting) ?? []
  const command = Effect.fnUntraced(function* (args: ReadonlyArray<string>, input = "") {
    const { code, errors, output } = yield* TestClock.withLive(runCommand(args, env, input))
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`)
    return output
  })
  return { url: config.baseUrl, key, command }
})

/** The whole service, with the demo workspace and the sandbox, on a database of its own. */
export class Dashboard extends Context.Service<
  Dashboard,
  {
    readonly url: string
    /** Of the demo workspace, with all scopes. */
    readonly key: string
    /** Runs the command line on the same data, with an input, and returns what it prints. */
    readonly command: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<string>
  }
>()("test/Dashboard") {
  static readonly layer = Layer.effect(Dashboard, start)
}
