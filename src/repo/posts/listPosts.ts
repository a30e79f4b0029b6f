import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { GroupId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { maxGroupPosts } from "../../domain/posts/postSize.ts"
import { ListClient, ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { BatchRow, clientFor, isMore, postSize, sharedBatchBytes } from "./batches.ts"
import type { Posts } from "./Posts.ts"
import { greatestId, makeQuickList, maxQuickPosts } from "./quickList.ts"
import { postColumns, type PostRow, toPostJson } from "./rows.ts"

const BatchQuery = Schema.Struct({
  workspaceId: WorkspaceId,
  limit: Schema.Int,
  maxBytes: Schema.Int,
  before: Schema.NullOr(PostId)
})

const PageQuery = Schema.Struct({ ...BatchQuery.fields, status: Schema.NullOr(PostStatus) })

type Place = Pick<typeof BatchQuery.Encoded, "before" | "workspaceId">

/** The next power of two, because each literal makes another prepared statement. */
const roundedUp = (count: number) => 2 ** Math.ceil(Math.log2(count))

const toBatch = (rows: ReadonlyArray<PostRow & { readonly found: number }>) => ({
  posts: rows.map(toPostJson),
  more: isMore(rows)
})

/**
 * A list should keep one generic plan (see Plans in README.md). So:
 *
 * - Sub-selects hide the values from the planner.
 * - A literal limit bounds the estimate, which would otherwise grow with the table. A connection that first listed few
 *   posts would then plan each list again. The outer limit is the real one.
 * - Bounds select the workspace, the first column of the order. With `=`, the planner would drop it from the order, and
 *   could read all workspaces' posts by id until it found enough of this workspace's.
 */
export const makeListPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const own = yield* ListClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)
  const findQuick = yield* makeQuickList

  const size = postSize(sql)
  const inOrder = sql.literal(inIndexOrder)

  const select = (
    { limit, maxBytes }: Pick<typeof BatchQuery.Encoded, "limit" | "maxBytes">,
    found: Statement.Fragment
  ) => clientFor(maxBytes, own, shared)`
    SELECT ${columns}, p.found FROM (
      SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY p.id DESC) - p.size AS bytes_before FROM (
        SELECT * FROM (
          SELECT p.*, ${size} AS size FROM posts p ${found} LIMIT ${sql.literal(String(roundedUp(limit + 1)))}
        ) p LIMIT (SELECT ${limit + 1}::int)
      ) p
    ) p WHERE p.bytes_before < (SELECT ${maxBytes}::int) ORDER BY p.id DESC LIMIT (SELECT ${limit}::int)`

  /** Uses the index posts_in_workspace. */
  const inWorkspace = ({ before, workspaceId }: Place, condition: string) => sql`
    ${inOrder} WHERE p.workspace_id >= (SELECT ${workspaceId}::uuid)
      AND (p.workspace_id, p.id) < ((SELECT ${workspaceId}::uuid), (SELECT ${before ?? greatestId}::uuid))
      AND ${sql.literal(condition)}
    ORDER BY p.workspace_id DESC, p.id DESC`

  /**
   * Uses the index posts_by_status. Between equal bounds, PostgreSQL 18 skips other statuses and newer posts in the
   * index. Earlier versions read the workspace's index entries, but not their posts.
   */
  const inStatus = ({ before, workspaceId }: Place, condition: string) => sql`
    ${inOrder} WHERE p.workspace_id >= (SELECT ${workspaceId}::uuid) AND p.workspace_id <= (SELECT ${workspaceId}::uuid)
      AND p.id < (SELECT ${before ?? greatestId}::uuid) AND ${sql.literal(condition)}
    ORDER BY p.workspace_id, p.id DESC`

  /** A literal status lets every plan use posts_by_status, which has no published posts. */
  const found = (place: Place, status: PostStatus | null) => {
    if (status === null) return inWorkspace(place, "true")
    const inIndex = status === "published" ? inWorkspace : inStatus
    return inIndex(place, `p.status = '${status}'`)
  }

  /** A group has few posts, so any order will do. */
  const inGroup = ({ before, workspaceId }: Place, groupId: string) => sql`
    WHERE p.workspace_id = ${workspaceId}::uuid AND p.group_id = ${groupId}::uuid
      AND p.id < ${before ?? greatestId}::uuid ORDER BY p.id DESC`

  const findPage = SqlSchema.findAll({
    Request: PageQuery,
    Result: BatchRow,
    execute: ({ status, ...query }) => select(query, found(query, status))
  })

  const readPage = (query: typeof PageQuery.Type) =>
    findPage(query).pipe(Effect.map(toBatch), withDatabaseTimeout("listing posts"))

  const readQuickly = (query: typeof PageQuery.Type) =>
    Effect.flatMap(findQuick({ ...query, before: query.before ?? greatestId }), (rows) =>
      rows.some(({ hasApproval }) => hasApproval) ? readPage(query) : Effect.succeed(toBatch(rows))
    )

  const listSpan = Effect.withSpan("Repo.posts.list")
  const list: Posts["list"] = (workspaceId, query) => {
    const { limit, maxBytes, status } = query
    const isQuick = status === null && limit <= maxQuickPosts && maxBytes <= sharedBatchBytes
    return listSpan((isQuick ? readQuickly : readPage)({ ...query, workspaceId }))
  }

  const findGroup = SqlSchema.findAll({
    Request: Schema.Struct({ ...BatchQuery.fields, groupId: GroupId }),
    Result: BatchRow,
    execute: ({ groupId, ...query }) => select(query, inGroup(query, groupId))
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
