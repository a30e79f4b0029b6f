import { Context, Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort, runProgram } from "../support/process/program.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "dashboard-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
)

const start = Effect.fnUntraced(function* (dataDir: string) {
  const port = yield* Effect.promise(freePort)
  const service = yield* Effect.acquireRelease(
    Effect.sync(() => runProgram("src/main.ts", [], { PORT: String(port), DATA_DIR: dataDir })),
    ({ ended, kill }) =>
      Effect.promise(async () => {
        kill("SIGTERM")
        await ended
      })
  )
  const [, key = ""] = yield* Effect.promise(() => service.printed(/API key {5}(\S+)/))
  const command = (args: ReadonlyArray<string>, input = "") =>
    Effect.promise(async () => {
      const { code, errors, output } = await runProgram("src/cli.ts", args, { DATA_DIR: dataDir }, input).ended
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`)
      return output
    })
  return { url: `http://127.0.0.1:${port}`, key, command }
})

/** The whole service as `npm start` runs it, with the demo workspace and the sandbox. */
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
  static readonly layer = Layer.effect(Dashboard, Effect.flatMap(directory, start))
}
