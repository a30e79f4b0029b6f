import { Clock, Duration, Effect, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import { DatabaseUnavailable } from "../../domain/errors.ts"

/** SQLSTATE classes of a server that is stopping, out of resources, failing on its disk, or that ended an idle transaction. */
const serverTrouble = /^(57P|53|58|25P03)/

const isAway = (error: SqlError.SqlError): boolean => {
  switch (error.reason._tag) {
    case "ConnectionError":
    case "AuthenticationError":
    case "DeadlockError":
    case "SerializationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return true
    case "UnknownError":
      return Predicate.hasProperty(error.reason.cause, "code") && serverTrouble.test(String(error.reason.cause.code))
    default:
      return false
  }
}

const isStorageError = (error: unknown): error is SqlError.SqlError | Schema.SchemaError =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error)

/**
 * Tells a database that is away, which the caller can wait for, from a statement or row that is wrong, which is a
 * defect. A connection that is lost inside a transaction arrives as a defect too and is told apart here. Waits for as
 * long as `effect` does.
 */
export const orAway =
  (operation: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError | Schema.SchemaError, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError | Schema.SchemaError> | DatabaseUnavailable, R> =>
    effect.pipe(
      Effect.catchIf(isStorageError, (error) =>
        SqlError.isSqlError(error) && isAway(error)
          ? new DatabaseUnavailable({ operation, cause: error })
          : Effect.die(error)
      ),
      Effect.catchDefect((defect) =>
        SqlError.isSqlError(defect) && isAway(defect)
          ? Effect.fail(new DatabaseUnavailable({ operation, cause: defect }))
          : Effect.die(defect)
      )
    )

/** The longest that an operation takes, the wait for a free connection included. */
const patience = Duration.seconds(8)

/** The server takes its time in the real world, whatever clock a test has set. */
const outOfPatience = Effect.provideService(Effect.sleep(patience), Clock.Clock, Clock.Clock.defaultValue())

/**
 * As `orAway`, and a database that does not answer in time counts as away. It can't be told then whether what was asked
 * for took place, as when a connection is lost.
 */
export const orUnavailable =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError | Schema.SchemaError, R>) =>
    Effect.raceFirst(
      orAway(operation)(effect),
      Effect.andThen(
        outOfPatience,
        Effect.suspend(() => {
          const cause = new Error(`No answer within ${Duration.toSeconds(patience)} seconds`)
          return Effect.fail(new DatabaseUnavailable({ operation, cause }))
        })
      )
    )
