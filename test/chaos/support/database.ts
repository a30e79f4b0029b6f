import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { open, readdir, readFile } from "node:fs/promises"
import { spawnAs } from "../../../src/embeddedPostgres/account.ts"
import { initialize, openCluster, readPassword, superuser } from "../../../src/embeddedPostgres/cluster.ts"
import { openDatabase } from "../../../src/embeddedPostgres/database.ts"
import { findServer, type Server } from "../../../src/embeddedPostgres/server.ts"

export interface DatabaseOptions {
  readonly dataDir: string
  /** Additional environment variables of the server's processes, as `NAME=value`. */
  readonly env?: ReadonlyArray<string>
  /** Additional settings, as `name=value`. */
  readonly settings?: ReadonlyArray<string>
}

const port = 20_000 + (process.pid % 12_000)

const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "timezone=UTC",
  "log_timezone=UTC"
]

/** The child processes of a server: a backend for each connection, and background workers. */
export const childrenOf = async (server: number): Promise<ReadonlyArray<number>> => {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "")
      return { pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) }
    })
  )
  return parents.filter(({ parent }) => parent === server).map(({ pid }) => pid)
}

const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has just exited.
    }
  }
}

/** A durable PostgreSQL that can be stopped, crashed, frozen and restarted at the same address. */
export const restartableDatabase = Effect.fn("restartableDatabase")(function* (options: DatabaseOptions) {
  const cluster = yield* openCluster({ dataDir: options.dataDir, durable: true })
  yield* initialize(cluster)
  const server: Effect.Effect<Option.Option<Server>> = findServer(cluster)

  const startOnce = Effect.gen(function* () {
    const { account, binaries, log } = cluster.programs
    const all = [...settings, ...(options.settings ?? [])]
    const args = ["-D", cluster.directory, "-p", String(port), ...all.flatMap((setting) => ["-c", setting])]
    const output = yield* Effect.acquireRelease(
      Effect.promise(() => open(log, "a")),
      (file) => Effect.promise(() => file.close())
    )
    const child = spawnAs(account, "/usr/bin/env", [...(options.env ?? []), binaries.postgres, ...args], {
      cwd: cluster.dataDir,
      stdio: ["ignore", output.fd, output.fd]
    })
    let ended = false
    child.once("exit", () => {
      ended = true
    })
    const found = yield* server.pipe(
      Effect.map(Option.filter(({ pid, ready }) => ready && pid === child.pid)),
      Effect.repeat({ until: (now) => ended || Option.isSome(now), schedule: Schedule.spaced("20 millis") })
    )
    child.unref()
    return Option.isSome(found)
  }).pipe(Effect.scoped)

  /** Waits until the server accepts connections. Starts the server whenever it is not running. */
  const start = server.pipe(
    Effect.flatMap(Option.match({ onNone: () => startOnce, onSome: ({ ready }) => Effect.succeed(ready) })),
    Effect.repeat({ until: (ready) => ready, schedule: Schedule.spaced("200 millis") }),
    Effect.asVoid
  )

  /** Runs a statement as the cluster's superuser. */
  const asSuperuser = (statement: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(statement)
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.map(readPassword(cluster), (password) =>
            PgClient.layer({ host: "127.0.0.1", port, username: superuser, database: "postgres", password })
          )
        )
      )
    )

  /** Suspends the server and all its connections, or resumes them. */
  const freeze = (frozen: boolean) =>
    Effect.gen(function* () {
      const found = yield* server
      if (Option.isNone(found)) return
      const stopOrContinue = frozen ? "SIGSTOP" : "SIGCONT"
      // The server is suspended first, so that it forks no further process.
      signal([found.value.pid], stopOrContinue)
      signal(yield* Effect.promise(() => childrenOf(found.value.pid)), stopOrContinue)
    })

  /** Stops the server and waits until it exits: `fast` as an operator does, `immediate` as in a crash. */
  const stop = (mode: "fast" | "immediate") =>
    Effect.gen(function* () {
      const found = yield* server
      if (Option.isNone(found)) return
      yield* freeze(false)
      signal([found.value.pid], mode === "fast" ? "SIGINT" : "SIGQUIT")
      yield* Effect.repeat(server, { until: Option.isNone, schedule: Schedule.spaced("20 millis") })
    })

  yield* Effect.addFinalizer(() => stop("immediate"))
  yield* start
  const url = yield* openDatabase(cluster, Option.getOrThrow(yield* server))
  const superuserUrl = new URL(Redacted.value(url))
  superuserUrl.username = superuser
  superuserUrl.password = encodeURIComponent(Redacted.value(yield* readPassword(cluster)))
  return { url, superuserUrl: Redacted.make(superuserUrl.href), start, stop, freeze, asSuperuser }
})

export type RestartableDatabase = Effect.Success<ReturnType<typeof restartableDatabase>>
