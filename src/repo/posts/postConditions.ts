import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { CreatorId, GroupId, PostId, smallestIdAt, WorkspaceId } from "../../domain/ids.ts"
import { searchPattern, searchWords } from "../../domain/plain/textSearch.ts"
import { Platform } from "../../domain/platform.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { ApprovalFilter, ListOrder, PostSort, TimeFilter } from "../../domain/posts/postList.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { isUndecided } from "./undecided.ts"

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
  time: Schema.NullOr(TimeFilter),
  createdBy: Schema.NullOr(CreatorId),
  text: Schema.NullOr(Schema.String)
})

export const SearchQuery = Schema.Struct({
  workspaceId: WorkspaceId,
  limit: Schema.Int,
  maxBytes: Schema.Int,
  sort: PostSort,
  order: ListOrder,
  after: Schema.NullOr(Schema.Struct({ id: PostId, scheduledAt: NullableTimestamp })),
  filters: Filters
})
export type SearchQuery = typeof SearchQuery.Encoded

/**
 * The most that an id's time may differ from `created_at`, because ids keep increasing if a process's clock is set
 * back. Ids bound a search by `created_at`, which has no index.
 */
const clockSteps = Duration.hours(1)

export const makePostConditions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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

  /**
   * The first condition avoids a search if the workspace never had an account on the platform. A scan tries posts one
   * by one: with OFFSET, PostgreSQL does not read the targets of all workspaces into a hash for it.
   */
  const hasTarget = (workspaceId: string, platform: Platform, isScan: boolean) => [
    sql`EXISTS (SELECT FROM integrations i WHERE i.workspace_id = ${workspaceId}::uuid AND i.platform = ${platform})`,
    sql`EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.platform = ${platform} ${sql.literal(isScan ? "OFFSET 0" : "")})`
  ]

  const createdBy = (id: string) => sql`(p.created_by_user = ${id}::uuid OR p.created_by_key = ${id}::uuid) IS TRUE`

  /** With the collation "C", the regular expression ignores the database's locale. */
  const hasWord = (word: string) => {
    const pattern = searchPattern(word)
    const matches = (column: string) => sql`${sql.literal(column)} COLLATE "C" ~ ${pattern}`
    // Tags are joined by a character that nobody types, because matching them one by one takes as long as everything
    // else.
    return sql`(${matches("p.content")}
      OR p.tags <> '{}' AND ${matches(String.raw`array_to_string(p.tags, E'\x1f')`)}
      OR p.platform_overrides <> '{}' AND EXISTS (
        SELECT FROM jsonb_path_query(p.platform_overrides, '$.*') own WHERE ${matches("(own #>> '{}')")})
      OR p.thread <> '[]' AND EXISTS (
        SELECT FROM (SELECT jsonb_path_query(p.thread, '$[*].content') AS own
          UNION ALL SELECT jsonb_path_query(p.thread, '$[*].platform_overrides.*')) texts WHERE ${matches("(own #>> '{}')")}))`
  }

  /** The longest word is tried first, because the fewest posts contain it. */
  const hasText = (text: string) =>
    sql.and(
      searchWords(text)
        .toSorted((one, other) => other.length - one.length)
        .map(hasWord)
    )

  /** `inOrder` has the conditions that the list's index can check, at least nearly. */
  const split = ({ filters, sort, workspaceId }: SearchQuery) => {
    const byTime = sort === "scheduled_at"
    const created = createdRange(filters.createdFrom, filters.createdTo)
    const scheduled = timeRange("p.scheduled_at", filters.scheduledFrom, filters.scheduledTo)
    // A literal, so that the planner can use the partial indexes of unpublished posts.
    const status = filters.status === null ? [] : [sql`p.status = ${sql.literal(`'${filters.status}'`)}`]
    const statusInOrder = filters.status !== "published"
    return {
      inOrder: [
        ...(byTime ? [sql`p.scheduled_at IS NOT NULL`, ...scheduled] : created),
        ...(statusInOrder ? status : []),
        ...(filters.approval === null ? [] : [sql`p.status = 'draft'`, sql`p.approval_requested_revision IS NOT NULL`]),
        // A post without a time is a draft, so the index of unpublished posts finds it.
        ...(filters.time === null ? [] : [sql`p.status = 'draft'`]),
        ...(filters.groupId === null ? [] : [sql`p.group_id = ${filters.groupId}::uuid`])
      ],
      others: [
        ...(byTime ? created : scheduled),
        ...(statusInOrder ? [] : status),
        ...(filters.approval === null ? [] : [sql.literal(isUndecided)]),
        ...(filters.time === null ? [] : [sql`p.scheduled_at IS NULL`]),
        ...(filters.tag === null ? [] : [sql`p.tags @> ${[filters.tag]}::text[]`]),
        ...(filters.createdBy === null ? [] : [createdBy(filters.createdBy)]),
        ...(filters.text === null ? [] : [hasText(filters.text)]),
        ...(filters.platform === null
          ? []
          : hasTarget(workspaceId, filters.platform, filters.text !== null || filters.createdBy !== null))
      ]
    }
  }

  const taggedInIndex = ({ filters: { tag }, workspaceId }: SearchQuery): ReadonlyArray<Statement.Fragment> =>
    tag === null
      ? []
      : [
          sql`p.tags <> '{}'`,
          sql`array_append(p.tags, p.workspace_id::text) @> ${[tag, workspaceId.toLowerCase()]}::text[]`
        ]

  const comparePosition = ({ after, order, sort }: SearchQuery): ReadonlyArray<Statement.Fragment> => {
    if (after === null) return []
    const follows = sql.literal(order === "asc" ? ">" : "<")
    return sort === "created_at"
      ? [sql`p.id ${follows} ${after.id}::uuid`]
      : [sql`(p.scheduled_at, p.id) ${follows} (${after.scheduledAt}::timestamptz, ${after.id}::uuid)`]
  }

  const orderOf = ({ order, sort }: Pick<SearchQuery, "order" | "sort">) => {
    const direction = order === "asc" ? "ASC" : "DESC"
    return sql.literal(sort === "created_at" ? `p.id ${direction}` : `p.scheduled_at ${direction}, p.id ${direction}`)
  }

  /** Posts that meet `onTheWay` are read in the list's order, and must also match `others`. */
  const conditionsOf = (query: SearchQuery) => {
    const { inOrder, others } = split(query)
    return {
      onTheWay: [sql`p.workspace_id = ${query.workspaceId}::uuid`, ...inOrder, ...comparePosition(query)],
      others
    }
  }

  return { conditionsOf, orderOf, taggedInIndex }
})
