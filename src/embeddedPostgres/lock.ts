import { Effect, Predicate, Schedule, type Scope } from "effect"
import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { EmbeddedPostgresError } from "./error.ts"

/**
 * A file lock, which the kernel releases when its holder ends or crashes. It is SQLite's, because Node has no other
 * file locks; the file stays empty.
 */
export interface FileLock {
  /** Replaces this process's lock. If other locks conflict, returns false and holds none. */
  readonly take: (mode: "shared" | "exclusive") => Effect.Effect<boolean, EmbeddedPostgresError>
  readonly release: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

const statements = { shared: "BEGIN; SELECT 1 FROM sqlite_schema", exclusive: "BEGIN EXCLUSIVE" }

const sqliteBusy = 5

/** Creates the file if it is missing. Nothing else in this process may open it: closing it would release the lock. */
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
      release: Effect.sync(() => release(database)),
      close: Effect.sync(() => database.close())
    }))
  )
}

const take = (database: DatabaseSync, mode: keyof typeof statements): boolean => {
  release(database)
  try {
    database.exec(statements[mode])
    return true
  } catch (cause) {
    release(database)
    if (Predicate.hasProperty(cause, "errcode") && cause.errcode === sqliteBusy) return false
    throw cause
  }
}

const release = (database: DatabaseSync) => {
  if (database.isTransaction) database.exec("ROLLBACK")
}

/** Excludes other processes, and other fibers of this one. */
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
