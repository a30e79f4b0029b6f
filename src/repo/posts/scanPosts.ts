import { Array as Arr, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { searchWords } from "../../domain/plain/textSearch.ts"
import { ListClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { BatchRow, postSize } from "./batches.ts"
import { makePostConditions, SearchQuery } from "./postConditions.ts"
import type { Posts } from "./Posts.ts"
import { postColumns, toPostJson } from "./rows.ts"

const ScanQuery = Schema.Struct({ ...SearchQuery.fields, maxTried: Schema.Int })

const Row = Schema.Struct({
  ...BatchRow.fields,
  scheduledAt: NullableTimestamp,
  matches: Schema.Boolean,
  isLast: Schema.Boolean,
  /** Includes this post. */
  tried: Schema.Int
})

/** Matching a word takes some 30 ms per megabyte, by the time of a search of 174 MB. */
const maxTriedBytes = 4_000_000

/**
 * The bytes of a post's texts, known without reading them: `octet_length` of a text and `pg_column_size` find them in
 * the row. A compressed value counts for 16 times its size, and no post has more than 64 kB of texts.
 */
const triedBytesText = `200 + octet_length(p.content) + least(64000, (pg_column_size(p.thread) + pg_column_size(p.platform_overrides))
    * CASE WHEN pg_column_compression(p.thread) IS NULL AND pg_column_compression(p.platform_overrides) IS NULL THEN 1 ELSE 16 END)`

/**
 * A statement tries a limited number of posts and of bytes, fewer for several words, in the list's order. Even without
 * a match, it returns the last post tried as the start of the next scan. README.md says why there is no trigram index.
 */
export const makeScanPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lists = yield* ListClient
  const columns = postColumns(sql)
  const size = postSize(sql)
  const { conditionsOf, orderOf } = yield* makePostConditions

  // PostgreSQL reads a subquery with a limit only as far as needed, so common texts are found soon.
  const select = (query: typeof ScanQuery.Encoded) => {
    const { filters, limit, maxBytes, maxTried, workspaceId } = query
    const words = filters.text === null ? 1 : Math.max(1, searchWords(filters.text).length)
    const mostBytes = Math.floor(maxTriedBytes / words)
    const { onTheWay, others } = conditionsOf(query)
    const order = orderOf(query)
    const triedBytes = sql.literal(triedBytesText)
    return lists`
      WITH tried AS MATERIALIZED (
        SELECT p.*, p.tried = ${maxTried}::int OR p.bytes >= ${mostBytes}::int AS is_last FROM (
          SELECT p.id, (row_number() OVER sequence)::int AS tried, sum(${triedBytes}) OVER sequence AS bytes, ${triedBytes} AS own FROM (
            SELECT * FROM posts p WHERE ${sql.and(onTheWay)} ORDER BY ${order} LIMIT ${maxTried}::int
          ) p WINDOW sequence AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
        ) p WHERE p.bytes - p.own < ${mostBytes}::int
      ), found AS MATERIALIZED (
        SELECT * FROM (
          SELECT tried.id, tried.tried, tried.is_last, (${sql.and(others)}) IS TRUE AS matches
          FROM (SELECT * FROM tried ORDER BY tried OFFSET 0) tried
          CROSS JOIN LATERAL (SELECT * FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = tried.id OFFSET 0) p
        ) p WHERE p.matches OR p.is_last LIMIT ${limit + 1}::int
      )
      SELECT ${columns}, p.scheduled_at AS "scheduledAt", p.found, p.matches, p.tried, p.is_last AS "isLast" FROM (
        SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY ${order}) - p.size AS bytes_before FROM (
          SELECT p.*, ${size} AS size, found.matches, found.tried, found.is_last
          FROM found JOIN posts p ON p.workspace_id = ${workspaceId}::uuid AND p.id = found.id
        ) p
      ) p WHERE p.bytes_before < ${maxBytes}::int ORDER BY ${order}`
  }

  const find = SqlSchema.findAll({
    Request: ScanQuery,
    Result: Row,
    // Not prepared, like other searches. A kept plan would also be for another number of posts.
    execute: (query) => select(query).unprepared
  })

  const scan: Posts["scan"] = Effect.fn("Repo.posts.scan")((workspaceId, query) =>
    find({ ...query, workspaceId }).pipe(
      Effect.map((rows) => {
        const matching = rows.filter(({ matches }) => matches)
        const isFull = matching.length > query.limit || rows.length < (rows[0]?.found ?? 0)
        const last = Arr.last(rows).pipe(
          Option.filter(({ isLast }) => !isFull && isLast),
          Option.getOrUndefined
        )
        return {
          posts: matching
            .slice(0, query.limit)
            .map((row) => ({ ...toPostJson(row), scheduledAt: row.scheduledAt, tried: row.tried })),
          more: isFull || last !== undefined,
          ...(last && { stoppedAt: { id: last.id, scheduledAt: last.scheduledAt, tried: last.tried } })
        }
      }),
      withDatabaseTimeout("searching posts")
    )
  )
  return scan
})
