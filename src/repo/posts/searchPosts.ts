import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { GroupId, PostId, smallestIdAt, WorkspaceId } from "../../domain/ids.ts"
import { Platform } from "../../domain/platform.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { ApprovalFilter, ListOrder, PostSort, TimeFilter } from "../../domain/posts/postList.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { BatchRow, clientFor, isMore, postSize } from "./batches.ts"
import type { Posts } from "./Posts.ts"
import { postColumns, toPostJson } from "./rows.ts"

const Filters = Schema.Struct({
  status: Schema.NullOr(PostStatus),
  groupId: Schema.NullOr(GroupId),
  tag: Schema.NullOr(Schema.String),
  platform: Schema.NullOr(Platform),
  scheduledFrom: NullableTimestamp,
  scheduledTo: NullableTimestamp,
  createdFrom: NullableTimestamp,
  createdTo: NullableTimestamp,
  approval: Schema.NullOr(ApprovalFilter),
  time: Schema.NullOr(TimeFilter)
})

const Query = Schema.Struct({
  workspaceId: WorkspaceId,
  limit: Schema.Int,
  maxBytes: Schema.Int,
  sort: PostSort,
  order: ListOrder,
  after: Schema.NullOr(Schema.Struct({ id: PostId, scheduledAt: NullableTimestamp })),
  filters: Filters
})

const Row = Schema.Struct({ ...BatchRow.fields, scheduledAt: NullableTimestamp })

/**
 * How far the time in a post's id may be from its `created_at`: ids don't go back where the clock of a process does. Ids bound a
 * search by `created_at`, which has no index.
 */
const clockSteps = Duration.hours(1)

/**
 * Lists of posts by filters and in an order of the caller's choice. The indexes that these lists read in their order know
 * neither tags nor platforms. So the posts at the position are tried one after the other, which finds common matches soon; only
 * if these are too few does the same statement look for rare ones by whichever index there is. `triedPosts` is how many are tried.
 */
export const makeSearchPosts = Effect.fnUntraced(function* (triedPosts = 2_000) {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)
  const size = postSize(sql)

  const timeRange = (column: string, from: Date | null, to: Date | null): ReadonlyArray<Statement.Fragment> => [
    ...(from === null ? [] : [sql`${sql.literal(column)} >= ${from}::timestamptz`]),
    ...(to === null ? [] : [sql`${sql.literal(column)} < ${to}::timestamptz`])
  ]

  const createdRange = (from: Date | null, to: Date | null) => [
    ...timeRange("p.created_at", from, to),
    ...(from === null
      ? []
      : [sql`p.id >= ${smallestIdAt(DateTime.subtractDuration(DateTime.fromDateUnsafe(from), clockSteps))}::uuid`]),
    ...(to === null
      ? []
      : [sql`p.id < ${smallestIdAt(DateTime.addDuration(DateTime.fromDateUnsafe(to), clockSteps))}::uuid`])
  ]

  // A request for an earlier revision is void. The version before stores the revision of a request alone.
  const undecided = sql.literal(`p.approval_requested_revision = p.revision
    AND NOT EXISTS (SELECT FROM post_approvals a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id
    AND a.revision = p.approval_requested_revision AND a.status <> 'requested')`)

  /** The first condition spares the search of a platform that the workspace never had an account on. */
  const hasTarget = (workspaceId: string, platform: Platform) => [
    sql`EXISTS (SELECT FROM integrations i WHERE i.workspace_id = ${workspaceId}::uuid AND i.platform = ${platform})`,
    sql`EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.platform = ${platform})`
  ]

  /** The conditions that the index in the list's order decides, or nearly so, and the others. */
  const split = ({ filters, sort, workspaceId }: typeof Query.Encoded) => {
    const byTime = sort === "scheduled_at"
    const created = createdRange(filters.createdFrom, filters.createdTo)
    const scheduled = timeRange("p.scheduled_at", filters.scheduledFrom, filters.scheduledTo)
    // A literal, so that the planner may use the partial indexes of posts that are not published.
    const status = filters.status === null ? [] : [sql`p.status = ${sql.literal(`'${filters.status}'`)}`]
    const statusInOrder = filters.status !== "published"
    return {
      inOrder: [
        ...(byTime ? [sql`p.scheduled_at IS NOT NULL`, ...scheduled] : created),
        ...(statusInOrder ? status : []),
        ...(filters.approval === null ? [] : [sql`p.status = 'draft'`, sql`p.approval_requested_revision IS NOT NULL`]),
        // A post without a time is a draft, so the index of those that are not published finds them.
        ...(filters.time === null ? [] : [sql`p.status = 'draft'`]),
        ...(filters.groupId === null ? [] : [sql`p.group_id = ${filters.groupId}::uuid`])
      ],
      others: [
        ...(byTime ? created : scheduled),
        ...(statusInOrder ? [] : status),
        ...(filters.approval === null ? [] : [undecided]),
        ...(filters.time === null ? [] : [sql`p.scheduled_at IS NULL`]),
        ...(filters.tag === null ? [] : [sql`p.tags @> ${[filters.tag]}::text[]`]),
        ...(filters.platform === null ? [] : hasTarget(workspaceId, filters.platform))
      ]
    }
  }

  /** What lets the index posts_by_tag find a tag. */
  const taggedInIndex = ({ filters: { tag }, workspaceId }: typeof Query.Encoded): ReadonlyArray<Statement.Fragment> =>
    tag === null
      ? []
      : [
          sql`p.tags <> '{}'`,
          sql`array_append(p.tags, p.workspace_id::text) @> ${[tag, workspaceId.toLowerCase()]}::text[]`
        ]

  const comparePosition = ({ after, order, sort }: typeof Query.Encoded): ReadonlyArray<Statement.Fragment> => {
    if (after === null) return []
    const follows = sql.literal(order === "asc" ? ">" : "<")
    return sort === "created_at"
      ? [sql`p.id ${follows} ${after.id}::uuid`]
      : [sql`(p.scheduled_at, p.id) ${follows} (${after.scheduledAt}::timestamptz, ${after.id}::uuid)`]
  }

  const select = (query: typeof Query.Encoded) => {
    const { limit, maxBytes, workspaceId } = query
    const { inOrder, others } = split(query)
    const direction = query.order === "asc" ? "ASC" : "DESC"
    const order = sql.literal(
      query.sort === "created_at" ? `p.id ${direction}` : `p.scheduled_at ${direction}, p.id ${direction}`
    )
    const onTheWay = [sql`p.workspace_id = ${workspaceId}::uuid`, ...inOrder, ...comparePosition(query)]
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
    const client = others.length === 0 ? clientFor(maxBytes, sql, shared) : sql
    return client`
      SELECT ${columns}, p.scheduled_at AS "scheduledAt", p.found FROM (
        SELECT p.*, (count(*) OVER ())::int AS found, sum(p.size) OVER (ORDER BY ${order}) - p.size AS bytes_before
        FROM (${found}) p
      ) p WHERE p.bytes_before < ${maxBytes}::int ORDER BY ${order} LIMIT ${limit}::int`
  }

  const find = SqlSchema.findAll({
    Request: Query,
    Result: Row,
    // Each combination of filters is a statement of its own, and a plan has to fit its values: neither is worth keeping.
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
