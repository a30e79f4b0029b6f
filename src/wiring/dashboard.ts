import * as NodeServices from "@effect/platform-node/NodeServices"
import { Duration, Effect, FileSystem, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import { DashboardBundle, DashboardMissing } from "../http/pages/dashboard.ts"

const decode = Schema.decodeEffect(Schema.fromJsonString(DashboardBundle))

const collectText = <E>(stream: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(stream))

/** The built package has the bundle next to the service. */
const builtBundle = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(fileURLToPath(new URL("dashboard.json", import.meta.url)))
})

/** Bundles in another process. */
const freshBundle = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const program = fileURLToPath(new URL("../bundler/program.ts", import.meta.url))
  const child = yield* spawner.spawn(ChildProcess.make(process.execPath, [program], { stdin: "ignore" }))
  const [text, errors, code] = yield* Effect.all(
    [collectText(child.stdout), collectText(child.stderr), child.exitCode],
    { concurrency: "unbounded" }
  )
  return code === 0 ? text : yield* new DashboardMissing({ message: errors.slice(-2000) })
}).pipe(Effect.scoped, Effect.timeout(Duration.minutes(1)))

export const dashboardBundle = Effect.gen(function* () {
  if (!import.meta.url.endsWith(".ts")) return yield* Effect.flatMap(builtBundle, decode)
  const [duration, text] = yield* Effect.timed(freshBundle)
  yield* Effect.logInfo(`The dashboard was bundled in ${Duration.toSeconds(duration).toFixed(1)} s`)
  return yield* decode(text)
}).pipe(
  Effect.mapError(({ message }) => new DashboardMissing({ message })),
  Effect.provide(NodeServices.layer)
)
