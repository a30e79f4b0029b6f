import { Array as Arr, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
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
  /** Includes this post. */
  tried: Schema.Int
})

/**
 * A statement tries a limited number of posts in the list's order. Even without a match, it returns the last post tried
 * as the start of the next scan. README.md says why there is no trigram index.
 */
export const makeScanPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = postColumns(sql)
  const size = postSize(sql)
  const { conditionsOf, orderOf } = yield* makePostConditions

  // PostgreSQL reads a subquery with a limit only as far as needed, so common texts are found soon.
  const select = (query: typeof ScanQuery.Encoded) => {
    const { limit, maxBytes, maxTried, workspaceId } = query
    const { onTheWay, others } = conditionsOf(query)
    const order = orderOf(query)
    return sql`
      WITH found AS MATERIALIZED (
        SELECT p.id, p.matches, p.tried FROM (
          SELECT p.*, (row_number() OVER ())::int AS tried FROM (
            SELECT p.id, p.scheduled_at, (${sql.and(others)}) IS TRUE AS matches FROM posts p
            WHERE ${sql.and(onTheWay)} ORDER BY ${order} LIMIT ${maxTried}::int
          ) p
        ) p WHERE p.matches OR p.tried = ${maxTried}::int LIMIT ${limit + 1}::int
      )
      SELECT ${columns}, p.scheduled_at AS "scheduledAt", p.found, p.matches, p.tried FROM (
        SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY ${order}) - p.size AS bytes_before FROM (
          SELECT p.*, ${size} AS size, found.matches, found.tried
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
          Option.filter(({ tried }) => !isFull && tried === query.maxTried),
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
