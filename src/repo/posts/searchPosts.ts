import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ListClient, ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { BatchRow, clientFor, isMore, postSize } from "./batches.ts"
import { makePostConditions, SearchQuery } from "./postConditions.ts"
import type { Posts } from "./Posts.ts"
import { postColumns, toPostJson } from "./rows.ts"

const Row = Schema.Struct({ ...BatchRow.fields, scheduledAt: NullableTimestamp })

/**
 * The indexes for these orders have neither tags nor platforms. So the next `triedPosts` posts are tried one by one,
 * which finds common matches soon. If too few match, the same statement looks for rare matches by any other index.
 */
export const makeSearchPosts = Effect.fnUntraced(function* (triedPosts = 2_000) {
  const sql = yield* SqlClient.SqlClient
  const own = yield* ListClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)
  const size = postSize(sql)
  const { conditionsOf, orderOf, taggedInIndex } = yield* makePostConditions

  const select = (query: SearchQuery) => {
    const { limit, maxBytes, workspaceId } = query
    const { onTheWay, others } = conditionsOf(query)
    const order = orderOf(query)
    const most = sql`LIMIT ${limit + 1}::int`
    const found =
      others.length === 0
        ? sql`SELECT p.*, ${size} AS size FROM posts p WHERE ${sql.and(onTheWay)} ORDER BY ${order} ${most}`
        : sql`
          WITH tried AS MATERIALIZED (
            SELECT p.id, p.scheduled_at, ${sql.and(others)} AS matches FROM posts p
            WHERE ${sql.and(onTheWay)} ORDER BY ${order} LIMIT ${triedPosts}::int
          ), near AS MATERIALIZED (
            SELECT p.id FROM tried p WHERE p.matches ORDER BY ${order} ${most}
          ), enough AS MATERIALIZED (
            SELECT FROM near HAVING count(*) > ${limit}::int OR (SELECT count(*) FROM tried) < ${triedPosts}::int
          ), far AS (
            SELECT p.id FROM posts p
            WHERE NOT EXISTS (SELECT FROM enough) AND ${sql.and([...onTheWay, ...others, ...taggedInIndex(query)])}
            ORDER BY ${order} ${most}
          )
          SELECT p.*, ${size} AS size FROM (
            SELECT id FROM near WHERE EXISTS (SELECT FROM enough) UNION ALL SELECT id FROM far
          ) found JOIN posts p ON p.workspace_id = ${workspaceId}::uuid AND p.id = found.id ORDER BY ${order} ${most}`
    // Rare matches may take long, and short reads must not wait behind them.
    const client = others.length === 0 ? clientFor(maxBytes, own, shared) : own
    return client`
      SELECT ${columns}, p.scheduled_at AS "scheduledAt", p.found FROM (
        SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY ${order}) - p.size AS bytes_before
        FROM (${found}) p
      ) p WHERE p.bytes_before < ${maxBytes}::int ORDER BY ${order} LIMIT ${limit}::int`
  }

  const find = SqlSchema.findAll({
    Request: SearchQuery,
    Result: Row,
    // Not prepared: each combination of filters is another statement, and a plan has to fit its values.
    execute: (query) => select(query).unprepared
  })

  const search: Posts["search"] = Effect.fn("Repo.posts.search")((workspaceId, query) =>
    find({ ...query, workspaceId }).pipe(
      Effect.map((rows) => ({
        posts: rows.map((row) => ({ ...toPostJson(row), scheduledAt: row.scheduledAt })),
        more: isMore(rows)
      })),
      withDatabaseTimeout("searching posts")
    )
  )
  return search
})
