import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Predicate, type Redacted, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import { CurrentCaller } from "../../../src/api/Authentication.ts"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"

/** The SQLSTATE of a statement that reached another workspace's row. */
const crossed = "TN001"

/** Where the setting says this, rows of every workspace may be reached. */
const anyWorkspace = "any"

/**
 * A policy that hides other workspaces' rows would make a statement that forgets its workspace answer rightly all the
 * same, and so hide the mistake. This one fails the statement. Conditions that can't leak, as comparisons of ids, are
 * checked before it, so that it sees only rows that the statement itself chose.
 */
const policies = [
  `CREATE FUNCTION is_own(workspace uuid) RETURNS boolean LANGUAGE plpgsql STABLE COST 100000 AS $$
  BEGIN
    IF current_setting('app.workspace', true) = '${anyWorkspace}' THEN RETURN true; END IF;
    IF workspace = current_setting('app.workspace', true)::uuid THEN RETURN true; END IF;
    RAISE EXCEPTION 'a row of the workspace % was reached for %', workspace, current_setting('app.workspace', true)
      USING ERRCODE = '${crossed}';
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

/** These touch no row. */
const control = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/

/** Clears away on the occasion of a request what has run out, whosever it was. */
const sweep = /WITH swept AS \(\s*DELETE FROM idempotency_keys/

const callersWorkspace = Effect.map(Effect.serviceOption(CurrentCaller), (caller) =>
  Option.match(caller, { onNone: () => anyWorkspace, onSome: ({ holder }) => holder.workspaceId })
)

/** A person's sessions are theirs in every workspace; a session is named by its secret. */
const persons = /^DELETE FROM sessions WHERE (hash|user_id) = /

/** Nobody's workspace. */
const stranger = "01a1fc17-dc2e-777d-ad63-5a461a1bba48"

const isCrossing = ({ reason }: SqlError.SqlError) =>
  Predicate.hasProperty(reason.cause, "code") && reason.cause.code === crossed

/**
 * A connection that says before every statement whose it is. One for a caller is first tried for a stranger who names
 * the same records, and taken back: it has to reach none of them, though an earlier one would have refused a stranger.
 */
const policedConnection = (connection: SqlConnection.Connection): SqlConnection.Connection => {
  let inTransaction = false

  const enter = (workspace: string) =>
    connection.execute("SELECT set_config('app.workspace', $1, false)", [workspace], undefined)

  const rehearse = Effect.fnUntraced(function* (workspace: string, sql: string, params: ReadonlyArray<unknown>) {
    const [begin, end] = inTransaction ? ["SAVEPOINT rehearsal", "ROLLBACK TO rehearsal"] : ["BEGIN", "ROLLBACK"]
    yield* connection.executeUnprepared(begin, [], undefined)
    yield* enter(stranger)
    const theirs = params.map((param) => (param === workspace ? stranger : param))
    const crossing = yield* connection.executeUnprepared(sql, theirs, undefined).pipe(
      Effect.as(false),
      Effect.catch((error) => Effect.succeed(isCrossing(error)))
    )
    yield* connection.executeUnprepared(end, [], undefined)
    if (crossing) return yield* Effect.die(new Error(`A stranger's statement would reach a caller's rows: ${sql}`))
  })

  const prepare = Effect.fnUntraced(function* (sql: string, params: ReadonlyArray<unknown>) {
    if (control.test(sql)) {
      inTransaction = sql.startsWith("BEGIN") || (inTransaction && !/^(COMMIT|ROLLBACK)$/.test(sql))
      return
    }
    const workspace = sweep.test(sql) ? anyWorkspace : yield* callersWorkspace
    if (workspace !== anyWorkspace && !persons.test(sql)) yield* rehearse(workspace, sql, params)
    yield* enter(workspace)
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

/** The connections to a database whose statements may reach rows of their caller's workspace alone. */
export const tenantConnectionsLayer = (url: Redacted.Redacted) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Layer.build(databaseLayer(url))
      const own = Context.get(context, SqlClient.SqlClient)
      yield* Effect.forEach(policies, (statement) => own.unsafe(statement), { discard: true })
      const client = yield* SqlClient.make({
        driver: own.driver,
        acquirer: Effect.map(own.reserve, policedConnection),
        compiler: PgClient.makeCompiler(),
        spanAttributes: []
      })
      return Context.add(context, SqlClient.SqlClient, client)
    })
  ).pipe(Layer.provide(Reactivity.layer))
