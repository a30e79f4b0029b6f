import { Effect, Exit, Option, Predicate, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { execFile } from "node:child_process"
import { readFile, readlink, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Cluster } from "./cluster.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"
import { launch, type Launched } from "./programs.ts"

export interface Server {
  readonly pid: number
  readonly port: number
  /** False during startup and recovery. */
  readonly ready: boolean
}

/** Ignores lock files of dead servers, and of servers of other directories. */
export const findServer = Effect.fnUntraced(function* (cluster: Cluster) {
  const locked = yield* readLockFile(cluster)
  if (Option.isNone(locked) || !isAlive(locked.value.pid)) return Option.none()
  return (yield* isServerOf(cluster, locked.value.pid)) ? locked : Option.none()
})

const readLockFile = (cluster: Cluster): Effect.Effect<Option.Option<Server>> =>
  Effect.promise(() => readFile(lockFile(cluster), "utf8").catch(() => "")).pipe(
    Effect.map((text) => text.split("\n")),
    Effect.map(([pid, , , port, , , , status]) => ({
      pid: Number(pid),
      port: Number(port),
      ready: status?.trim() === "ready"
    })),
    Effect.map(Option.liftPredicate(({ pid }) => pid > 0))
  )

const lockFile = (cluster: Cluster) => join(cluster.directory, "postmaster.pid")

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return Predicate.hasProperty(cause, "code") && cause.code === "EPERM"
  }
}

// A server's working directory is its data directory, which is also on its command line. If the system shows neither,
// the lock file is trusted.
const isServerOf = ({ directory }: Cluster, pid: number): Effect.Effect<boolean> =>
  Effect.promise(() =>
    readlink(`/proc/${pid}/cwd`)
      .then((path) => path === directory)
      .catch(() => readFile(`/proc/${pid}/cmdline`, "utf8").then((line) => line.split("\0").includes(directory)))
      .catch(() =>
        promisify(execFile)("ps", ["-p", String(pid), "-o", "args="]).then(({ stdout }) => stdout.includes(directory))
      )
      .catch(() => true)
  )

/**
 * Waits until the server accepts connections; on failure, stops it again. The server keeps its previous port, so that
 * URLs in use stay valid. If that port is taken and `anyPort` is set, the server gets another port.
 */
export const startServer = Effect.fnUntraced(function* (cluster: Cluster, { anyPort }: { readonly anyPort: boolean }) {
  yield* clearLockFile(cluster)
  const previous = yield* previousPort(cluster)
  const first = Option.isSome(previous) ? previous.value : yield* randomPort
  const start = (port: number) =>
    startOn(cluster, port).pipe(Effect.retry({ while: hasLeftovers, schedule: leftoversSchedule }))
  return yield* start(first).pipe(
    Effect.catchIf(
      (error) => anyPort && portTaken(error),
      () => randomPort.pipe(Effect.flatMap(start), Effect.retry({ while: portTaken, times: 10 }))
    )
  )
})

const portTaken = ({ message }: EmbeddedPostgresError) => message.includes("could not create any TCP/IP sockets")

// The child processes of a killed server may outlive it for a moment.
const hasLeftovers = ({ message }: EmbeddedPostgresError) => message.includes("pre-existing shared memory block")

const leftoversSchedule = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

// Below the ephemeral ports of Linux and macOS, so that no outgoing connection occupies the port at a restart.
const randomPort = SecureRandom.SecureRandom.use((random) => random.intBetween(20_000, 32_767)).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

const previousPort = (cluster: Cluster) =>
  Effect.promise(() => readFile(join(cluster.directory, "postmaster.opts"), "utf8").catch(() => "")).pipe(
    Effect.map((options) => Option.fromUndefinedOr(/"-p" "(\d+)"/.exec(options)?.[1]).pipe(Option.map(Number)))
  )

// PostgreSQL refuses to start if its lock file is empty or names a live process, even one that is not PostgreSQL. Only
// the process id is replaced. The file also names the shared memory. If a server or its leftovers use that memory,
// PostgreSQL still refuses to start.
const clearLockFile = (cluster: Cluster) =>
  attempt(`Clearing ${lockFile(cluster)}`, async () => {
    const text = await readFile(lockFile(cluster), "utf8").catch(() => "")
    await (text === ""
      ? rm(lockFile(cluster), { force: true })
      : writeFile(lockFile(cluster), text.replace(/^.*/, unusedPid)))
  })

const unusedPid = String(2 ** 31 - 1)

const startOn = (cluster: Cluster, port: number): Effect.Effect<Server, EmbeddedPostgresError> =>
  Effect.acquireUseRelease(
    launch(cluster.programs, "postgres", ["-D", cluster.directory, "-p", String(port), ...settings(cluster)]),
    (launched) => Effect.raceFirst(awaitReady(cluster, launched), failOnExit(cluster, launched)),
    (launched, exit) => (Exit.isSuccess(exit) ? launched.detach : launched.interrupt)
  )

const settings = (cluster: Cluster) =>
  [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_checkpoints=off",
    // Error details repeat rows, including the text of posts.
    "log_error_verbosity=terse",
    ...(cluster.durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
  ].flatMap((setting) => ["-c", setting])

const awaitReady = (cluster: Cluster, launched: Launched) =>
  readLockFile(cluster).pipe(
    Effect.map(Option.filter((server) => server.ready && server.pid === launched.pid)),
    Effect.repeat({
      until: Option.isSome,
      schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))
    }),
    Effect.flatMap((server) =>
      Effect.fromOption(server, () => didNotStart(cluster, "it was not ready within 2 minutes"))
    )
  )

const failOnExit = (cluster: Cluster, launched: Launched) =>
  launched.exitCode.pipe(
    Effect.andThen(launched.lastError),
    Effect.flatMap((reason) => Effect.fail(didNotStart(cluster, reason)))
  )

const didNotStart = (cluster: Cluster, reason: string) =>
  new EmbeddedPostgresError({
    message: `PostgreSQL did not start in ${cluster.dataDir}: ${reason} (more in ${cluster.programs.log})`
  })

/** Fast mode: open transactions are rolled back and connections closed. */
export const stopServer = Effect.fnUntraced(function* (cluster: Cluster) {
  const server = yield* findServer(cluster)
  if (Option.isNone(server)) return
  yield* attempt("Stopping PostgreSQL", () => process.kill(server.value.pid, "SIGINT"))
  const remaining = yield* Effect.repeat(findServer(cluster), {
    until: Option.isNone,
    schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "1 minute" }))
  })
  if (Option.isSome(remaining))
    yield* Effect.logWarning(`PostgreSQL in ${cluster.dataDir} is still stopping (process ${remaining.value.pid})`)
})
