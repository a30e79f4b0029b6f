import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { GroupId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { PostStatus } from "../../domain/post.ts"
import { maxGroupPosts } from "../../domain/postSize.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { BatchRow, clientFor, isMore, postSize } from "./batches.ts"
import type { Posts } from "./Posts.ts"
import { postColumns, toPostJson } from "./rows.ts"

const BatchQuery = Schema.Struct({
  workspaceId: WorkspaceId,
  limit: Schema.Int,
  maxBytes: Schema.Int,
  before: Schema.NullOr(PostId)
})

/** After all ids of posts. */
const greatestId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const toBatch = (rows: ReadonlyArray<typeof BatchRow.Type>) => ({ posts: rows.map(toPostJson), more: isMore(rows) })

/** Lists of posts, in batches that are bounded by their size. */
export const makeListPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)

  const size = postSize(sql)
  const inOrder = sql.literal(inIndexOrder)

  /** The newest of `found` posts, as long as those before them have less than `maxBytes`. */
  const select = (
    { limit, maxBytes }: Pick<typeof BatchQuery.Encoded, "limit" | "maxBytes">,
    found: Statement.Fragment
  ) => clientFor(maxBytes, sql, shared)`
    SELECT ${columns}, p.found FROM (
      SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY p.id DESC) - p.size AS bytes_before FROM (
        SELECT p.*, ${size} AS size FROM posts p ${found} LIMIT (SELECT ${limit + 1}::int)
      ) p
    ) p WHERE p.bytes_before < (SELECT ${maxBytes}::int) ORDER BY p.id DESC LIMIT (SELECT ${limit}::int)`

  /**
   * All posts of a workspace. PostgreSQL keeps a plan only if it is estimated to cost no more than plans for the values, and planning
   * takes longer than to read a page. So the values are selected, which hides them from the planner, and the order is one that no other
   * index has, because a plan for any value must not read the posts of other workspaces.
   */
  const inWorkspace = ({ before, workspaceId }: Pick<typeof BatchQuery.Encoded, "before" | "workspaceId">) => sql`
    ${inOrder} WHERE p.workspace_id >= (SELECT ${workspaceId}::uuid)
      AND (p.workspace_id, p.id) < ((SELECT ${workspaceId}::uuid), (SELECT ${before ?? greatestId}::uuid))
    ORDER BY p.workspace_id DESC, p.id DESC`

  const matching = (
    { before, workspaceId }: Pick<typeof BatchQuery.Encoded, "before" | "workspaceId">,
    condition: Statement.Fragment
  ) => sql`
    WHERE ${sql.and([
      sql`p.workspace_id = ${workspaceId}::uuid`,
      condition,
      ...(before === null ? [] : [sql`p.id < ${before}::uuid`])
    ])} ORDER BY p.id DESC`

  const findPage = SqlSchema.findAll({
    Request: Schema.Struct({ ...BatchQuery.fields, status: Schema.NullOr(PostStatus) }),
    Result: BatchRow,
    // The status is a literal and not a parameter, so that every plan may use the partial index posts_by_status.
    execute: ({ status, ...query }) =>
      select(
        query,
        status === null ? inWorkspace(query) : matching(query, sql`p.status = ${sql.literal(`'${status}'`)}`)
      )
  })

  const listSpan = Effect.withSpan("Repo.posts.list")
  const list: Posts["list"] = (workspaceId, query) =>
    findPage({ ...query, workspaceId }).pipe(Effect.map(toBatch), withDatabaseTimeout("listing posts"), listSpan)

  const findGroup = SqlSchema.findAll({
    Request: Schema.Struct({ ...BatchQuery.fields, groupId: GroupId }),
    Result: BatchRow,
    execute: ({ groupId, ...query }) => select(query, matching(query, sql`p.group_id = ${groupId}::uuid`))
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
