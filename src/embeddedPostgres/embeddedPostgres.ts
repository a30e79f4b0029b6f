import { Effect, Option, type Redacted, Schedule, Schema, type Scope } from "effect"
import { type Cluster, initialize, openCluster } from "./cluster.ts"
import { openDatabase } from "./database.ts"
import { EmbeddedPostgresError } from "./error.ts"
import { exclusively, type FileLock, openLock } from "./lock.ts"
import { findServer, type Server, startServer, stopServer } from "./server.ts"

export interface EmbeddedPostgresOptions {
  /** Created if it is missing. Holds `postgres/` (the cluster and its passwords), `postgres.log` and two lock files. */
  readonly dataDir: string
  /** False trades crash safety for speed, for tests. A running server keeps its setting. */
  readonly durable?: boolean
}

/**
 * Runs a PostgreSQL under DATA_DIR while the scope is open.
 *
 * All processes with the same DATA_DIR share one server: the first starts it, the last stops it. Each holds a shared
 * lock, which the kernel releases if the process dies. Starts and stops need an exclusive lock. A server that dies is
 * restarted at the same URL.
 */
export const embeddedPostgres = Effect.fn("embeddedPostgres")(function* (
  options: EmbeddedPostgresOptions
): Effect.fn.Return<{ readonly url: Redacted.Redacted }, EmbeddedPostgresError, Scope.Scope> {
  const cluster = yield* openCluster({ dataDir: options.dataDir, durable: options.durable ?? true })
  const users = yield* Effect.acquireRelease(openLock(cluster.usersLock), (lock) => leaveServer(cluster, lock))
  const url = yield* joinServer(cluster, users)
  yield* Effect.forkScoped(keepRunning(cluster))
  return { url }
})

/** The server started or stopped during the check, or is not visible from here. A retry may find it. */
class ServerUnclear extends Schema.TaggedError<ServerUnclear>()("ServerUnclear", { message: Schema.String }) {}

const joinServer = (cluster: Cluster, users: FileLock) =>
  exclusively(cluster.startLock, joinOnce(cluster, users)).pipe(
    Effect.retry({
      while: (error) => error._tag === "ServerUnclear",
      schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))
    }),
    Effect.mapError((error) =>
      error._tag === "ServerUnclear" ? new EmbeddedPostgresError({ message: error.message }) : error
    )
  )

const joinOnce = Effect.fnUntraced(
  function* (cluster: Cluster, users: FileLock) {
    const alone = yield* users.take("exclusive")
    yield* initialize(cluster)
    const found = yield* findServer(cluster)
    // The processes that use the server restart it themselves. If no server appears, it is hidden, for example by a
    // container, and a second server would corrupt the cluster.
    if (Option.isNone(found) && !alone) {
      return yield* new ServerUnclear({
        message: `Another process uses the PostgreSQL in ${cluster.dataDir}, but none can be seen from here; end that process, or start where it runs.`
      })
    }
    const url = yield* serve(cluster, found).pipe(
      Effect.catch((error) =>
        Effect.flatMap(findServer(cluster), (current) =>
          Effect.fail(
            Option.isSome(current) === Option.isSome(found) ? error : new ServerUnclear({ message: error.message })
          )
        )
      )
    )
    yield* users.take("shared")
    return url
  },
  (effect, _cluster, users) => Effect.onError(effect, () => users.release)
)

const serve = Effect.fnUntraced(function* (cluster: Cluster, found: Option.Option<Server>) {
  return yield* openDatabase(
    cluster,
    Option.isSome(found) ? found.value : yield* startServer(cluster, { anyPort: true })
  )
})

const leaveServer = (cluster: Cluster, users: FileLock) =>
  exclusively(
    cluster.startLock,
    Effect.gen(function* () {
      if (yield* users.take("exclusive")) yield* stopServer(cluster)
    })
  ).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`PostgreSQL in ${cluster.dataDir} may still be running: ${error.message}`)
    ),
    Effect.ensuring(users.close)
  )

const keepRunning = (cluster: Cluster) =>
  findServer(cluster).pipe(
    Effect.flatMap((found) => (Option.isSome(found) ? Effect.void : restart(cluster))),
    Effect.repeat(Schedule.spaced("1 second"))
  )

const restart = (cluster: Cluster) =>
  Effect.logWarning(`PostgreSQL in ${cluster.dataDir} has ended; starting it again`).pipe(
    Effect.andThen(
      exclusively(
        cluster.startLock,
        Effect.gen(function* () {
          if (Option.isNone(yield* findServer(cluster))) yield* startServer(cluster, { anyPort: false })
        })
      )
    ),
    Effect.tapError((error) => Effect.logError(error.message)),
    Effect.retry(Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])),
    Effect.orDie
  )
