import { type PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Fiber, Option } from "effect"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { commitChecked } from "./commit.ts"
import { withDatabaseTimeout } from "./databaseErrors.ts"
import type { TimeoutSocket } from "./timeoutSocket.ts"

export const pipelinedConnections = 1

/**
 * Runs an effect in a transaction on its own connection. Concurrent statements are sent without waiting, in the order
 * in which they began, so `BEGIN` and the first statements share a round trip. One transaction at a time, and never
 * nested. An interruption rolls back once the sent statements have finished.
 *
 * A failed `BEGIN` is known only after the statements behind it have run on their own. So the first statement that
 * writes has to require `isBegun`, and the others have to depend on its result.
 */
export class PipelinedTransaction extends Context.Service<
  PipelinedTransaction,
  <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
>()("social-publisher/repo/PipelinedTransaction") {}

export class PipelinedConnection extends Context.Service<
  PipelinedConnection,
  {
    readonly open: Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/repo/PipelinedConnection") {}

/** DEFERRABLE is for `isBegun`. Otherwise it affects only serializable transactions. */
export const beginStatement = "BEGIN DEFERRABLE"

/** True within a pipelined transaction. */
export const isBegun = "current_setting('transaction_deferrable') = 'on'"

/** Tells the socket if responses are still awaited, so that each gets the whole timeout. */
const makeSqlConnection = (
  connection: PgConnection.PgConnection,
  socket: Pick<TimeoutSocket, "awaitMore"> | undefined
): SqlConnection.Connection => {
  let awaited = 0
  const send = <A>(query: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.suspend(() => {
      awaited += 1
      return Effect.ensuring(
        query,
        Effect.sync(() => {
          awaited -= 1
          socket?.awaitMore(awaited > 0)
        })
      )
    })
  const execute =
    (prepare: boolean): SqlConnection.Connection["execute"] =>
    (sql, params, transformRows) =>
      Effect.map(send(connection.query(sql, params, prepare)), ({ rows }) =>
        transformRows === undefined ? rows : transformRows(rows)
      )
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: (sql, params) => send(connection.query(sql, params)),
    executeStream: (sql, params) => connection.stream(sql, params),
    executeValues: (sql, params) => send(connection.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => send(connection.queryValues(sql, params, false))
  }
}

const isNested = Effect.die(new Error("A pipelined transaction is not part of another one"))

export const makePipelinedTransaction = Effect.fnUntraced(function* (
  client: SqlClient.SqlClient,
  config: Omit<PgClient.PgPoolConfig, "stream"> & { readonly stream: () => TimeoutSocket }
) {
  let socket: TimeoutSocket | undefined
  let established: TimeoutSocket | undefined
  const pool = yield* PgPool.make({
    ...config,
    stream: () => {
      socket = config.stream()
      return socket
    },
    maxConnections: pipelinedConnections,
    // Reconnecting and replanning take longer than a settlement, and a quiet service seldom settles.
    idleTimeout: "1 day",
    multiplex: true,
    // Exclusive: another caller's statements would be part of the transaction.
    multiplexConcurrency: 1
  })
  const session = Effect.tap(pool.get, () =>
    Effect.sync(() => {
      established = socket
    })
  )
  const connect = withDatabaseTimeout("opening the connection for settlements")(Effect.scoped(Effect.asVoid(session)))
  const open = Effect.suspend(() => (established?.destroyed === false ? Effect.void : connect))
  const sessions = new WeakMap<SqlConnection.Connection, PgConnection.PgConnection>()
  const begins = new WeakMap<SqlConnection.Connection, Effect.Effect<unknown, SqlError.SqlError>>()
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    acquireConnection: (restore) =>
      Effect.map(restore(session), (own) => {
        const connection = makeSqlConnection(own, socket)
        sessions.set(connection, own)
        return connection
      }),
    begin: (connection) =>
      Effect.map(
        Effect.forkChild(connection.execute(beginStatement, [], undefined), { startImmediately: true }),
        (fiber) => void begins.set(connection, Fiber.join(fiber))
      ),
    commit: (connection) =>
      Effect.andThen(
        begins.get(connection) ?? Effect.die(new Error("A transaction that did not begin can't be committed")),
        commitChecked(connection)
      ),
    rollback: (connection) =>
      Effect.tapError(Effect.asVoid(connection.execute("ROLLBACK", [], undefined)), () => {
        const own = sessions.get(connection)
        // The connection's transaction may still be open.
        return own === undefined ? Effect.void : pool.invalidate(own)
      }),
    savepoint: () => isNested,
    rollbackSavepoint: () => isNested
  })
  const transaction = PipelinedTransaction.of((effect) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (surrounding) =>
      Option.isSome(surrounding) ? isNested : withTransaction(effect)
    )
  )
  return Context.make(PipelinedTransaction, transaction).pipe(
    Context.add(PipelinedConnection, PipelinedConnection.of({ open }))
  )
})
