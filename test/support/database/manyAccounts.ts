import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Raises the time limit for an insertion of many rows. */
export const inBulk = <A, E, R>(insert: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql`SET LOCAL statement_timeout = '60s'`, insert))
  )

/** Inserts workspaces with one account each. */
export const insertAccounts = Effect.fnUntraced(function* (accounts: number, platform = "bluesky") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH teams AS (
      INSERT INTO workspaces (id, name, created_at) SELECT uuidv7(), 'A team', now()
      FROM generate_series(1, ${accounts}::int) RETURNING id
    )
    INSERT INTO integrations (id, workspace_id, platform, account_id, username, status, service_url, credentials, created_at, updated_at)
    SELECT uuidv7(), id, ${platform}, id::text, 'team', 'connected', 'https://pds.test', 'x', now(), now() FROM teams`
})

/** Inserts posts with one target each, on accounts `from` to `to`, counted from 1. */
export const insertPosts = Effect.fnUntraced(function* (
  [from, to]: readonly [number, number],
  posts: number,
  due: string,
  seconds = 0
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH account AS (
      SELECT id, workspace_id, platform, row_number() OVER (ORDER BY id) AS n FROM integrations
    ), post AS (
      SELECT uuidv7() AS id, account.id AS account, workspace_id, platform,
        now() + ${due}::interval - g * ${seconds}::int * interval '1 second' AS due
      FROM account CROSS JOIN generate_series(1, ${posts}::int) g WHERE n BETWEEN ${from}::int AND ${to}::int
    ), posts AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
      SELECT id, workspace_id, 'scheduled', 'Hello', due, '{}', '{}', '{}', now() FROM post
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
    SELECT uuidv7(), workspace_id, id, account, platform, 1, 'pending', due, due FROM post`
})

const Counted = Schema.Tuple([Schema.Struct({ rows: Schema.Int })])

/** The number of rows that the transaction has read in all tables, including unreported reads. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counted = yield* sql`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables`
  const [{ rows }] = yield* Schema.decodeUnknownEffect(Counted)(counted)
  return rows
})

/** Includes the rows of transactions that the effect begins. */
export const countingRows = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* rowsRead
        const value = yield* effect
        return { value, rows: (yield* rowsRead) - before }
      })
    )
  )
