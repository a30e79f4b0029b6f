import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { GroupId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { PostStatus } from "../../domain/post.ts"
import { maxGroupPosts } from "../../domain/postSize.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { BatchRow, clientFor, isMore, postSize } from "./batches.ts"
import type { Posts } from "./Posts.ts"
import { postColumns, toPostJson } from "./rows.ts"

const BatchQuery = Schema.Struct({
  workspaceId: WorkspaceId,
  limit: Schema.Int,
  maxBytes: Schema.Int,
  before: Schema.NullOr(PostId)
})

const toBatch = (rows: ReadonlyArray<typeof BatchRow.Type>) => ({ posts: rows.map(toPostJson), more: isMore(rows) })

/** Lists of posts, in batches that are bounded by their size. */
export const makeListPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)

  const size = postSize(sql)

  /** The newest posts that match, as long as those before them have less than `maxBytes`. */
  const select = (
    { before, limit, maxBytes, workspaceId }: typeof BatchQuery.Encoded,
    filter: ReadonlyArray<Statement.Fragment>
  ) => clientFor(maxBytes, sql, shared)`
    SELECT ${columns}, p.found FROM (
      SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY p.id DESC) - p.size AS bytes_before FROM (
        SELECT p.*, ${size} AS size FROM posts p WHERE ${sql.and([
          sql`p.workspace_id = ${workspaceId}::uuid`,
          ...filter,
          ...(before === null ? [] : [sql`p.id < ${before}::uuid`])
        ])} ORDER BY p.id DESC LIMIT ${limit + 1}::int
      ) p
    ) p WHERE p.bytes_before < ${maxBytes}::int ORDER BY p.id DESC LIMIT ${limit}::int`

  const findPage = SqlSchema.findAll({
    Request: Schema.Struct({ ...BatchQuery.fields, status: Schema.NullOr(PostStatus) }),
    Result: BatchRow,
    // The status is a literal and not a parameter, so that every plan may use the partial index posts_by_status.
    execute: ({ status, ...query }) =>
      select(query, status === null ? [] : [sql`p.status = ${sql.literal(`'${status}'`)}`])
  })

  const listSpan = Effect.withSpan("Repo.posts.list")
  const list: Posts["list"] = (workspaceId, query) =>
    findPage({ ...query, workspaceId }).pipe(Effect.map(toBatch), withDatabaseTimeout("listing posts"), listSpan)

  const findGroup = SqlSchema.findAll({
    Request: Schema.Struct({ ...BatchQuery.fields, groupId: GroupId }),
    Result: BatchRow,
    execute: ({ groupId, ...query }) => select(query, [sql`p.group_id = ${groupId}::uuid`])
  })

  const listGroup: Posts["listGroup"] = Effect.fn("Repo.posts.listGroup")((workspaceId, groupId, query) =>
    findGroup({ ...query, workspaceId, groupId }).pipe(Effect.map(toBatch), withDatabaseTimeout("listing a group"))
  )

  const findFullGroup = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, groupId: GroupId }),
    Result: Schema.Struct({ id: PostId }),
    execute: ({ groupId, workspaceId }) => sql`
      SELECT id FROM posts WHERE workspace_id = ${workspaceId}::uuid AND group_id = ${groupId}::uuid
      OFFSET ${maxGroupPosts - 1}::int LIMIT 1`
  })

  const isGroupFull: Posts["isGroupFull"] = Effect.fn("Repo.posts.isGroupFull")((workspaceId, groupId) =>
    findFullGroup({ workspaceId, groupId }).pipe(
      Effect.map((rows) => rows.length > 0),
      withDatabaseTimeout("counting a group")
    )
  )

  return { list, listGroup, isGroupFull }
})
