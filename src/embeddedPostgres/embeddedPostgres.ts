import { Effect, Option, type Redacted, Schedule, Schema, type Scope } from "effect"
import { type Cluster, initialize, openCluster } from "./cluster.ts"
import { openDatabase } from "./database.ts"
import { EmbeddedPostgresError } from "./error.ts"
import { exclusively, type FileLock, openLock } from "./lock.ts"
import { findServer, type Server, startServer, stopServer } from "./server.ts"

export { EmbeddedPostgresError } from "./error.ts"

/** Where the embedded PostgreSQL keeps its files, and how carefully. */
export interface EmbeddedPostgresOptions {
  /** Made where it is missing. Takes `postgres/` (the cluster and its password), `postgres.log` and two lock files. */
  readonly dataDir: string
  /** False, for tests, gives up crash safety for speed. A server that runs already keeps to what it was started with. */
  readonly durable?: boolean
}

/**
 * A PostgreSQL of our own under DATA_DIR, for as long as the scope is open, and the address of its database.
 *
 * All processes that name one DATA_DIR share one server: the first to come starts it, the last to go stops it. Each holds a shared
 * lock for as long as it uses the server, which the kernel takes back from the dead; starting and stopping happen under an exclusive one.
 * Should the server end by itself, it is started again, at the same address.
 */
export const embeddedPostgres = Effect.fn("embeddedPostgres")(function* (
  options: EmbeddedPostgresOptions
): Effect.fn.Return<{ readonly url: Redacted.Redacted }, EmbeddedPostgresError, Scope.Scope> {
  const cluster = yield* openCluster({ dataDir: options.dataDir, durable: options.durable ?? true })
  const users = yield* Effect.acquireRelease(openLock(cluster.usersLock), (lock) => leave(cluster, lock))
  const url = yield* enter(cluster, users)
  yield* Effect.forkScoped(keepRunning(cluster))
  return { url }
})

/** The server came or went meanwhile, or can't be seen from here; a moment later there may be more to see. */
class NotYet extends Schema.TaggedError<NotYet>()("NotYet", { message: Schema.String }) {}

const enter = (cluster: Cluster, users: FileLock) =>
  exclusively(cluster.startLock, enterOnce(cluster, users)).pipe(
    Effect.retry({
      while: (error) => error._tag === "NotYet",
      schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))
    }),
    Effect.mapError((error) =>
      error._tag === "NotYet" ? new EmbeddedPostgresError({ message: error.message }) : error
    )
  )

const enterOnce = Effect.fnUntraced(
  function* (cluster: Cluster, users: FileLock) {
    const alone = yield* users.take("exclusive")
    yield* initialize(cluster)
    const found = yield* findServer(cluster)
    // Those who use the server bring it back themselves. Where it never comes back it is hidden, by a container say, and a second
    // server beside it would ruin the cluster.
    if (Option.isNone(found) && !alone) {
      return yield* new NotYet({
        message: `Another process uses the PostgreSQL in ${cluster.dataDir}, but none can be seen from here; end that process, or work beside it.`
      })
    }
    const url = yield* serve(cluster, found).pipe(
      Effect.catch((error) =>
        Effect.flatMap(findServer(cluster), (now) =>
          Effect.fail(Option.isSome(now) === Option.isSome(found) ? error : new NotYet({ message: error.message }))
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

const leave = (cluster: Cluster, users: FileLock) =>
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
