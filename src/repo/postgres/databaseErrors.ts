import { Cause, type Context, Duration, Effect, Fiber, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import { DatabaseUnavailable } from "../../domain/errors.ts"
import { ConnectionsBusy } from "./connectionTurns.ts"
import { startRealTimer } from "./realTimer.ts"

/**
 * SQLSTATEs of lost connections, conflicts of transactions, missing resources, shutdowns, disk errors, transaction and
 * idle timeouts, and of a read-only standby.
 */
const unavailableStates = /^(08|40|53|57P|58|25P03|25P04|25006)/

const ServerError = Schema.Struct({
  code: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
  severity: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
  severityUnlocalized: Schema.optionalKey(Schema.UndefinedOr(Schema.String))
})
const isServerError = Schema.is(ServerError)

const saysUnavailable = (cause: unknown): boolean => {
  if (!isServerError(cause)) return false
  // A pooler sends only the localized severity.
  const severity = cause.severityUnlocalized ?? cause.severity
  return severity === "FATAL" || severity === "PANIC" || unavailableStates.test(cause.code ?? "")
}

const isUnavailable = (error: SqlError.SqlError): boolean => {
  switch (error.reason._tag) {
    case "ConnectionError":
    case "AuthenticationError":
    case "DeadlockError":
    case "SerializationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return true
    default:
      return saysUnavailable(error.reason.cause)
  }
}

const isStorageError = (error: unknown): error is SqlError.SqlError | Schema.SchemaError =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error)

export const isUniqueViolation = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"

export const isLockError = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "LockTimeoutError" || error.reason._tag === "DeadlockError")

export const isDatabaseUnavailable = Schema.is(DatabaseUnavailable)

/** True if the database is available, but another transaction holds a lock. */
export const isLockConflict = (error: unknown): boolean => isDatabaseUnavailable(error) && isLockError(error.cause)

/** For a database that answers, but is slow, or whose places or rows other requests hold. */
const explain = (error: SqlError.SqlError): { readonly explanation?: string } => {
  if (isLockError(error)) {
    return { explanation: "The same data is being changed by something else; try again in a few seconds" }
  }
  if (error.reason._tag === "StatementTimeoutError") {
    return { explanation: "The database took too long for this; try again in a few seconds" }
  }
  const { cause } = error.reason
  return cause instanceof ConnectionsBusy ? { explanation: cause.message } : {}
}

const valueOf = <E>(reason: Cause.Reason<E>): unknown => {
  if (Cause.isFailReason(reason)) return reason.error
  return Cause.isDieReason(reason) ? reason.defect : undefined
}

/**
 * A connection lost inside a transaction also fails the ROLLBACK, whose defect replaces the earlier error. So all
 * causes are searched for the loss; a retry finds any other failure again.
 */
const findUnavailable =
  (operation: string) =>
  <E>(cause: Cause.Cause<E>): Result.Result<DatabaseUnavailable, Cause.Cause<E>> => {
    if (Cause.hasInterrupts(cause)) return Result.fail(cause)
    const values = cause.reasons.map(valueOf)
    const known = values.find(isDatabaseUnavailable)
    if (known !== undefined) return Result.succeed(known)
    const error = values.filter(SqlError.isSqlError).find(isUnavailable)
    return error === undefined
      ? Result.fail(cause)
      : Result.succeed(new DatabaseUnavailable({ operation, cause: error, ...explain(error) }))
  }

/**
 * Fails with DatabaseUnavailable if a caller can wait for the database. Dies if a statement or row is wrong. Sets no
 * timeout.
 */
export const mapDatabaseErrors =
  (operation: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError | Schema.SchemaError, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError | Schema.SchemaError> | DatabaseUnavailable, R> =>
    effect.pipe(
      Effect.catchIf(isStorageError, Effect.die),
      Effect.catchCauseFilter(findUnavailable(operation), Effect.fail)
    )

/** Includes the wait for a free connection. */
const operationTimeout = Duration.seconds(8)

/**
 * `mapDatabaseErrors` with a timeout: fails with DatabaseUnavailable after eight seconds or `timeout`. As after a lost
 * connection, the operation may have taken effect.
 *
 * Uses real time, as the server does.
 */
export const withDatabaseTimeout =
  (operation: string, timeout = operationTimeout) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError | Schema.SchemaError, R>) => {
    const mapped = mapDatabaseErrors(operation)(effect)
    type Mapped = typeof mapped
    return Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback<Effect.Success<Mapped>, Effect.Error<Mapped> | DatabaseUnavailable>((resume) => {
        const fiber = Effect.runForkWith(context)(mapped)
        const stopTimer = startRealTimer(Duration.toMillis(timeout), () => {
          const cause = new Error(`No response within ${Duration.toSeconds(timeout)} seconds`)
          const failed = Effect.fail(new DatabaseUnavailable({ operation, cause }))
          resume(Effect.andThen(Fiber.interrupt(fiber), failed))
        })
        fiber.addObserver((exit) => {
          stopTimer()
          resume(exit)
        })
        return Fiber.interrupt(fiber)
      })
    )
  }

/** Logs a failure at level debug, because the database's absence is reported elsewhere, and a defect as an error. */
export const bestEffort =
  (message: string) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, never, R> =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasDies(cause) ? Effect.logError(message, cause) : Effect.logDebug(message, cause)
    )
