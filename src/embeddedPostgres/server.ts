import { Effect, Exit, Option, Predicate, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { execFile } from "node:child_process"
import { readFile, readlink, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Cluster } from "./cluster.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"
import { launch, type Launched } from "./programs.ts"

/** A PostgreSQL server at work on a cluster. */
export interface Server {
  readonly pid: number
  readonly port: number
  /** False while it starts or recovers. */
  readonly ready: boolean
}

/** Finds the server at work on the cluster. What a dead server, or one of another directory, left behind is none. */
export const findServer = Effect.fnUntraced(function* (cluster: Cluster) {
  const named = yield* readLockFile(cluster)
  if (Option.isNone(named) || !isAlive(named.value.pid)) return Option.none()
  return (yield* isServerOf(cluster, named.value.pid)) ? named : Option.none()
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

// A server works in its data directory and names it on its command line. Where the system tells neither, its lock file is believed.
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
 * Starts the server of a cluster that has none, and waits until it takes connections. Where that fails, nothing stays running.
 *
 * It listens where it last did, so that addresses given out before stay good; only with `anyPort` on another port where that one is taken.
 */
export const startServer = Effect.fnUntraced(function* (cluster: Cluster, { anyPort }: { readonly anyPort: boolean }) {
  yield* disownLockFile(cluster)
  const last = yield* lastPort(cluster)
  const first = Option.isSome(last) ? last.value : yield* freshPort
  const start = (port: number) => startOn(cluster, port).pipe(Effect.retry({ while: leftBehind, schedule: patiently }))
  return yield* start(first).pipe(
    Effect.catchIf(
      (error) => anyPort && portTaken(error),
      () => freshPort.pipe(Effect.flatMap(start), Effect.retry({ while: portTaken, times: 10 }))
    )
  )
})

const portTaken = ({ message }: EmbeddedPostgresError) => message.includes("could not create any TCP/IP sockets")

// A killed server's own processes may outlive it for a moment.
const leftBehind = ({ message }: EmbeddedPostgresError) => message.includes("pre-existing shared memory block")

const patiently = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

// Below the ports that Linux and macOS lend to outgoing connections, so that none of those is in the way of a restart.
const freshPort = SecureRandom.SecureRandom.use((random) => random.intBetween(20_000, 32_767)).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

const lastPort = (cluster: Cluster) =>
  Effect.promise(() => readFile(join(cluster.directory, "postmaster.opts"), "utf8").catch(() => "")).pipe(
    Effect.map((options) => Option.fromUndefinedOr(/"-p" "(\d+)"/.exec(options)?.[1]).pipe(Option.map(Number)))
  )

// PostgreSQL doesn't start while the process that its lock file names is alive, be it another's, or where that file is empty. The
// rest of it stays: by the shared memory named there PostgreSQL still refuses to start beside a server, or what is left of one.
const disownLockFile = (cluster: Cluster) =>
  attempt(`Clearing ${lockFile(cluster)}`, async () => {
    const text = await readFile(lockFile(cluster), "utf8").catch(() => "")
    await (text === ""
      ? rm(lockFile(cluster), { force: true })
      : writeFile(lockFile(cluster), text.replace(/^.*/, noProcess)))
  })

const noProcess = String(2 ** 31 - 1)

const startOn = (cluster: Cluster, port: number): Effect.Effect<Server, EmbeddedPostgresError> =>
  Effect.acquireUseRelease(
    launch(cluster.programs, "postgres", ["-D", cluster.directory, "-p", String(port), ...settings(cluster)]),
    (launched) => Effect.raceFirst(becomesReady(cluster, launched), ends(cluster, launched)),
    (launched, exit) => (Exit.isSuccess(exit) ? launched.letGo : launched.interrupt)
  )

const settings = (cluster: Cluster) =>
  [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_checkpoints=off",
    // Details repeat rows, and so what posts say.
    "log_error_verbosity=terse",
    ...(cluster.durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
  ].flatMap((setting) => ["-c", setting])

const becomesReady = (cluster: Cluster, launched: Launched) =>
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

const ends = (cluster: Cluster, launched: Launched) =>
  launched.ended.pipe(
    Effect.andThen(launched.complaint),
    Effect.flatMap((complaint) => Effect.fail(didNotStart(cluster, complaint)))
  )

const didNotStart = (cluster: Cluster, complaint: string) =>
  new EmbeddedPostgresError({
    message: `PostgreSQL did not start in ${cluster.dataDir}: ${complaint} (more in ${cluster.programs.log})`
  })

/** Stops the cluster's server, if any: open transactions are rolled back, connections closed. */
export const stopServer = Effect.fnUntraced(function* (cluster: Cluster) {
  const found = yield* findServer(cluster)
  if (Option.isNone(found)) return
  yield* attempt("Stopping PostgreSQL", () => process.kill(found.value.pid, "SIGINT"))
  const left = yield* Effect.repeat(findServer(cluster), {
    until: Option.isNone,
    schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "1 minute" }))
  })
  if (Option.isSome(left))
    yield* Effect.logWarning(`PostgreSQL in ${cluster.dataDir} is still busy stopping (process ${left.value.pid})`)
})
