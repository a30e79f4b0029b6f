import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Predicate, type Redacted, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import { CurrentCaller } from "../../../src/api/Authentication.ts"
import { beginStatement, PipelinedTransaction } from "../../../src/repo/postgres/pipelinedTransaction.ts"
import { databaseLayer, ListClient, ReadClient } from "../../../src/repo/postgres/database.ts"

/** The SQLSTATE of a statement that reached another workspace's row. */
const crossedTenant = "TN001"

/** The value of the setting `app.workspace` that allows rows of every workspace. */
const anyWorkspace = "any"

/**
 * Row level security that fails a statement if it reaches another workspace's row. An ordinary policy would hide such
 * rows, and so the mistake of a statement that forgets its workspace. The function's high cost makes PostgreSQL check
 * leakproof conditions, such as comparisons of ids, first. The policy thus sees only rows that the statement selected.
 */
const policies = [
  `CREATE FUNCTION is_own(workspace uuid) RETURNS boolean LANGUAGE plpgsql STABLE COST 100000 AS $$
  BEGIN
    IF current_setting('app.workspace', true) = '${anyWorkspace}' THEN RETURN true; END IF;
    IF workspace = ANY(string_to_array(current_setting('app.workspace', true), ',')::uuid[]) THEN RETURN true; END IF;
    RAISE EXCEPTION 'a row of the workspace % was reached for %', workspace, current_setting('app.workspace', true)
      USING ERRCODE = '${crossedTenant}';
  END $$`,
  `DO $$
  DECLARE owned record;
  BEGIN
    FOR owned IN SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
      AND (column_name = 'workspace_id' OR (table_name, column_name) = ('workspaces', 'id'))
    LOOP
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', owned.table_name);
      EXECUTE format('CREATE POLICY own ON %I USING (is_own(%I)) WITH CHECK (is_own(%2$I))', owned.table_name, owned.column_name);
    END LOOP;
  END $$`
]

/** Statements that access no rows. */
const transactionControl = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/

/** Statements that delete expired idempotency keys and invitations of all workspaces while serving one workspace. */
const sweep = /WITH swept AS \(\s*DELETE FROM idempotency_keys|DELETE FROM invites WHERE id IN/

/** The statement that lists a user's workspaces. */
const ownWorkspaces = "FROM members m JOIN workspaces o ON o.id = m.workspace_id WHERE m.user_id = u.id"

/** Statements that read or create posts for several callers with different workspaces. */
const servesTogether =
  /^(SELECT key\.n, post\.\*|WITH requested AS MATERIALIZED \(\s+SELECT post\.\*, w\.followed)\s+FROM json_to_recordset/

const workspacesOf = (params: ReadonlyArray<unknown>) =>
  Array.from(String(params[0]).matchAll(/"workspaceId":"([^"]+)"/g), ([, workspace = ""]) => workspace)

const callersWorkspace = Effect.map(Effect.serviceOption(CurrentCaller), (caller) =>
  Option.match(caller, { onNone: () => anyWorkspace, onSome: ({ holder }) => holder.workspaceId })
)

/** A user's sessions can belong to any workspace; a session is identified by the hash of its secret. */
const ofUser = /^DELETE FROM sessions WHERE (hash|user_id) = /

/** A workspace id that does not exist. */
const stranger = "01a1fc17-dc2e-777d-ad63-5a461a1bba48"

const isCrossing = ({ reason }: SqlError.SqlError) =>
  Predicate.hasProperty(reason.cause, "code") && reason.cause.code === crossedTenant

/**
 * A connection that sets `app.workspace` before every statement. It first runs a caller's statement for a stranger with
 * the same record ids, and rolls back. The statement must reach no row, even if an earlier statement of the request
 * would have refused the stranger: each statement has to check the workspace itself.
 */
const policedConnection = (connection: SqlConnection.Connection): SqlConnection.Connection => {
  let inTransaction = false

  const setWorkspace = (workspace: string) =>
    connection.execute("SELECT set_config('app.workspace', $1, false)", [workspace], undefined)

  const rehearse = Effect.fnUntraced(function* (
    workspaces: ReadonlyArray<string>,
    sql: string,
    params: ReadonlyArray<unknown>
  ) {
    const [begin, end] = inTransaction ? ["SAVEPOINT rehearsal", "ROLLBACK TO rehearsal"] : ["BEGIN", "ROLLBACK"]
    yield* connection.executeUnprepared(begin, [], undefined)
    yield* setWorkspace(stranger)
    // Some statements get their rows as JSON.
    const strangersParams = params.map((param) =>
      typeof param === "string"
        ? workspaces.reduce((text, workspace) => text.replaceAll(workspace, stranger), param)
        : param
    )
    const crossing = yield* connection.executeUnprepared(sql, strangersParams, undefined).pipe(
      Effect.as(false),
      Effect.catch((error) => Effect.succeed(isCrossing(error)))
    )
    yield* connection.executeUnprepared(end, [], undefined)
    if (crossing) return yield* Effect.die(new Error(`A stranger's statement would reach a caller's rows: ${sql}`))
  })

  const prepare = Effect.fnUntraced(function* (sql: string, params: ReadonlyArray<unknown>) {
    if (transactionControl.test(sql)) {
      inTransaction = sql.startsWith("BEGIN") || (inTransaction && !/^(COMMIT|ROLLBACK)$/.test(sql))
      return
    }
    const workspace = sweep.test(sql) || sql.includes(ownWorkspaces) ? anyWorkspace : yield* callersWorkspace
    if (workspace === anyWorkspace) {
      yield* setWorkspace(anyWorkspace)
      return
    }
    const workspaces = servesTogether.test(sql) ? workspacesOf(params) : [workspace]
    if (!workspaces.includes(workspace)) return yield* Effect.die(new Error(`Not for its caller's workspace: ${sql}`))
    if (!ofUser.test(sql)) yield* rehearse(workspaces, sql, params)
    yield* setWorkspace(workspaces.join(","))
  })

  return {
    execute: (sql, params, rows) => Effect.andThen(prepare(sql, params), connection.execute(sql, params, rows)),
    executeRaw: (sql, params) => Effect.andThen(prepare(sql, params), connection.executeRaw(sql, params)),
    executeValues: (sql, params) => Effect.andThen(prepare(sql, params), connection.executeValues(sql, params)),
    executeUnprepared: (sql, params, rows) =>
      Effect.andThen(prepare(sql, params), connection.executeUnprepared(sql, params, rows)),
    executeValuesUnprepared: (sql, params) =>
      Effect.andThen(prepare(sql, params), connection.executeValuesUnprepared(sql, params)),
    executeStream: () => Stream.die("No statement is streamed")
  }
}

/** A statement fails if it reaches a row outside its caller's workspace. */
export const tenantConnectionsLayer = (url: Redacted.Redacted) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Layer.build(databaseLayer(url))
      const unpoliced = Context.get(context, SqlClient.SqlClient)
      yield* Effect.forEach(policies, (statement) => unpoliced.unsafe(statement), { discard: true })
      const client = yield* SqlClient.make({
        driver: unpoliced.driver,
        acquirer: Effect.map(unpoliced.reserve, policedConnection),
        compiler: PgClient.makeCompiler(),
        spanAttributes: []
      })
      const pipelined = PipelinedTransaction.of((effect) =>
        Effect.provideService(client.withTransaction(effect), SqlClient.BeginTransaction, beginStatement)
      )
      return context.pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(ReadClient, client),
        Context.add(ListClient, client),
        Context.add(PipelinedTransaction, pipelined)
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
