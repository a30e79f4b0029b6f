import { PgClient } from "@effect/sql-pg"
import { Effect, FileSystem, Path, Redacted, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import { embeddedPostgres } from "../../src/embeddedPostgres/embeddedPostgres.ts"

export const temporaryDirectory = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ prefix: "embedded postgres " })
)

export const start = (dataDir: string) => embeddedPostgres({ dataDir, durable: false })

/** Data directories in which a server has run before. They are copies, as creating a cluster is most of what a first start takes. */
export const makeUsedDirectories = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const original = yield* temporaryDirectory
  yield* Effect.scoped(start(original))
  // It names the port, and each copy gets one of its own.
  yield* fs.remove(path.join(original, "postgres", "data", "postmaster.opts"))
  const copied = Effect.gen(function* () {
    const copy = yield* temporaryDirectory
    yield* Effect.scoped(
      Effect.flatMap(ChildProcess.make("cp", ["-a", `${original}/.`, copy]), ({ exitCode }) => exitCode)
    )
    return copy
  })
  return { copied }
})

/** Runs a statement and decodes its first row. */
export const query = <S extends Schema.Decoder<unknown>>(url: Redacted.Redacted, row: S, statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = yield* sql.unsafe(statement)
    return yield* Schema.decodeEffect(row)(rows[0])
  }).pipe(Effect.provide(PgClient.layer({ url })))

/** The start time of the server. It identifies a server across restarts. */
export const startTime = (url: Redacted.Redacted) =>
  Effect.map(
    query(url, Schema.Struct({ start: Schema.String }), "SELECT pg_postmaster_start_time()::text AS start"),
    ({ start }) => start
  )

export const lockFilePath = (dataDir: string) =>
  Effect.map(Path.Path, (path) => path.join(dataDir, "postgres", "data", "postmaster.pid"))

export const isRunning = (dataDir: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* fs.exists(yield* lockFilePath(dataDir))
  })

export const postmaster = (dataDir: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const [pid = "", , , port = ""] = (yield* fs.readFileString(yield* lockFilePath(dataDir))).split("\n")
    return { pid: Number(pid), port: Number(port) }
  })

const program = `
  import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
  import { Console, Effect, Redacted } from "effect"
  import { embeddedPostgres } from ${JSON.stringify(new URL("../../src/embeddedPostgres/embeddedPostgres.ts", import.meta.url).href)}
  embeddedPostgres({ dataDir: process.argv[1], durable: false }).pipe(
    Effect.tap(({ url }) => Console.log(Redacted.value(url))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    NodeRuntime.runMain
  )`

/** Starts another process that uses the server in `dataDir` until it is ended, at the latest with the scope. */
export const startElsewhere = (dataDir: string) =>
  Effect.gen(function* () {
    const child = yield* ChildProcess.make(process.execPath, ["--input-type=module", "--eval", program, dataDir], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stderr: "inherit",
      forceKillAfter: "10 seconds"
    })
    const url = yield* child.stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runHead,
      Effect.flatMap(Effect.fromOption)
    )
    const end = (signal: "SIGTERM" | "SIGKILL") =>
      Effect.sync(() => process.kill(child.pid, signal)).pipe(Effect.andThen(Effect.exit(child.exitCode)))
    return { url: Redacted.make(url), end }
  })
