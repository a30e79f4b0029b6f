import { Effect, Predicate, Schedule, type Scope } from "effect"
import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { EmbeddedPostgresError } from "./error.ts"

/**
 * A lock on a file. The kernel lets go of it when its holder ends, however it ends, so there is no dead owner to recover from.
 *
 * Nothing is ever stored: SQLite is Node's one way to such a lock.
 */
export interface FileLock {
  /** Swaps what this process holds for `mode`; false where others' locks forbid that: then it holds nothing. */
  readonly take: (mode: "shared" | "exclusive") => Effect.Effect<boolean, EmbeddedPostgresError>
  /** Holds nothing any more. */
  readonly release: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

const statements = { shared: "BEGIN; SELECT 1 FROM sqlite_schema", exclusive: "BEGIN EXCLUSIVE" }

const sqliteBusy = 5

/**
 * Opens the lock on the file at `path`, made where it is missing, and holds nothing yet.
 *
 * Nothing else in this process may open that file: closing it would let go of the lock.
 */
export const openLock = (path: string): Effect.Effect<FileLock, EmbeddedPostgresError> => {
  const failed = (cause: unknown) =>
    new EmbeddedPostgresError({ message: `The lock ${path} can't be used: ${String(cause)}` })
  return Effect.try({
    try: () => {
      const database = new DatabaseSync(path, { timeout: 0 })
      chmodSync(path, 0o600)
      return database
    },
    catch: failed
  }).pipe(
    Effect.map((database) => ({
      take: (mode) => Effect.try({ try: () => take(database, mode), catch: failed }),
      release: Effect.sync(() => letGo(database)),
      close: Effect.sync(() => database.close())
    }))
  )
}

const take = (database: DatabaseSync, mode: keyof typeof statements): boolean => {
  letGo(database)
  try {
    database.exec(statements[mode])
    return true
  } catch (cause) {
    letGo(database)
    if (Predicate.hasProperty(cause, "errcode") && cause.errcode === sqliteBusy) return false
    throw cause
  }
}

const letGo = (database: DatabaseSync) => {
  if (database.isTransaction) database.exec("ROLLBACK")
}

/** Runs `self` while no other process, and no other fiber of this one, runs anything under the same lock. */
export const exclusively = <A, E, R>(
  path: string,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | EmbeddedPostgresError, Exclude<R, Scope.Scope>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const lock = yield* Effect.acquireRelease(openLock(path), ({ close }) => close)
      yield* lock.take("exclusive").pipe(
        Effect.repeat({
          until: (taken) => taken,
          schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "3 minutes" }))
        }),
        Effect.filterOrFail(
          (taken) => taken,
          () =>
            new EmbeddedPostgresError({
              message: `Another process has held the lock ${path} for 3 minutes; end it and try again.`
            })
        )
      )
      return yield* self
    })
  )
