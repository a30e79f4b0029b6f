import { type PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Fiber, Schema } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/** Pools that a session is taken from for a transaction, and how many of them there are. */
export const pipelinedConnections = 1

/**
 * Runs an effect in a transaction, on a connection of its own that sends what runs concurrently without waiting: `BEGIN` goes with
 * the first statements, so that a round trip carries several of them. They are executed in the order in which they began. One
 * transaction at a time, and none within another one.
 *
 * A `BEGIN` that fails alone is known only when the statements behind it have run by themselves. So the first one that writes has
 * to require `isBegun`; the others follow from what it returns.
 */
export class PipelinedTransaction extends Context.Service<
  PipelinedTransaction,
  <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
>()("social-publisher/repo/PipelinedTransaction") {}

/** Begins a transaction that `isBegun` recognizes: nothing else of it changes, as it is not serializable. */
export const beginStatement = "BEGIN DEFERRABLE"

/** Whether a statement runs in a pipelined transaction, as SQL. */
export const isBegun = "current_setting('transaction_deferrable') = 'on'"

const toSqlConnection = (connection: PgConnection.PgConnection): SqlConnection.Connection => {
  const execute =
    (prepare: boolean): SqlConnection.Connection["execute"] =>
    (sql, params, transformRows) =>
      Effect.map(connection.query(sql, params, prepare), ({ rows }) =>
        transformRows === undefined ? rows : transformRows(rows)
      )
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: (sql, params) => connection.query(sql, params),
    executeStream: (sql, params) => connection.stream(sql, params),
    executeValues: (sql, params) => connection.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => connection.queryValues(sql, params, false)
  }
}

/** PostgreSQL responds to the `COMMIT` of an aborted transaction with `ROLLBACK`. */
const isCommitted = Schema.is(Schema.Struct({ command: Schema.Literal("COMMIT") }))

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

const isNotNested = Effect.die(new Error("A pipelined transaction has no savepoints"))

/** A pipelined transaction for the statements of `client`, on a connection that is made as `config` says. */
export const makePipelinedTransaction = Effect.fnUntraced(function* (
  client: SqlClient.SqlClient,
  config: PgClient.PgPoolConfig
) {
  const pool = yield* PgPool.make({
    ...config,
    maxConnections: pipelinedConnections,
    multiplex: true,
    // Whoever has it has it alone: another one's statements would be part of the transaction.
    multiplexConcurrency: 1
  })
  const begins = new WeakMap<SqlConnection.Connection, Effect.Effect<unknown, SqlError.SqlError>>()
  return PipelinedTransaction.of(
    SqlClient.makeWithTransaction({
      transactionService: client.transactionService,
      spanAttributes: [],
      acquireConnection: (restore) => Effect.map(restore(pool.get), toSqlConnection),
      begin: (connection) =>
        Effect.map(
          Effect.forkChild(connection.execute(beginStatement, [], undefined), { startImmediately: true }),
          (fiber) => void begins.set(connection, Fiber.join(fiber))
        ),
      commit: (connection) =>
        Effect.andThen(
          begins.get(connection) ?? Effect.void,
          Effect.filterOrFail(connection.executeRaw("COMMIT", []), isCommitted, () => rolledBack)
        ),
      rollback: (connection) => Effect.asVoid(connection.execute("ROLLBACK", [], undefined)),
      savepoint: () => isNotNested,
      rollbackSavepoint: () => isNotNested
    })
  )
})
