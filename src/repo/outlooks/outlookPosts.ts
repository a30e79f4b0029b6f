import { type DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId, PostId, WorkspaceId } from "../../domain/ids.ts"
import type { DueAccount, DuePost } from "../../domain/outlook/duePost.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { creditsSpent } from "../../domain/publishing/creditsSpent.ts"
import { isOnKnownPlatform } from "../integrations/rows.ts"
import { StoredPostRow, storedPostColumns } from "../posts/storedPostRow.ts"
import { isUndecided } from "../posts/undecided.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { allTexts } from "../targets/deletedTargets.ts"
import { maxCompared } from "../targets/Targets.ts"

export interface Window {
  readonly from: DateTime.Utc
  readonly until: DateTime.Utc
}

/** A row that this version can't read still has a place. */
export type FoundPost =
  | { readonly _tag: "Post"; readonly post: DuePost }
  | {
      readonly _tag: "Unreadable"
      readonly id: PostId
      readonly scheduledAt: DateTime.Utc
      readonly status: "draft" | "scheduled"
    }

export interface OutlookPosts {
  /** The earliest first. */
  readonly duePosts: (
    workspaceId: WorkspaceId,
    window: Window,
    page: { readonly after: Pick<DuePost, "id" | "scheduledAt"> | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<FoundPost>, DatabaseUnavailable>
  /** Counts up to `most`. */
  readonly countDue: (
    workspaceId: WorkspaceId,
    window: Window,
    most: number
  ) => Effect.Effect<number, DatabaseUnavailable>
  /** Disconnected accounts too. */
  readonly dueAccounts: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<DueAccount>, DatabaseUnavailable>
  /** The texts of the account's latest posts, at most `maxCompared`, newest first. */
  readonly publishedTexts: (
    account: Pick<DueAccount, "accountId" | "id">
  ) => Effect.Effect<ReadonlyArray<typeof Published.Type>, DatabaseUnavailable>
  /** The platforms that refused the workspace's last post there since then for want of credits. */
  readonly outOfCredits: (
    workspaceId: WorkspaceId,
    since: DateTime.Utc
  ) => Effect.Effect<ReadonlyArray<LivePlatform>, DatabaseUnavailable>
}

const AccountRow = Schema.Struct({
  id: IntegrationId,
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  serviceUrl: Schema.NullOr(Schema.String),
  status: Schema.Literals(["connected", "needs_reconnect", "disconnected"]),
  accessUntil: NullableTimestamp
})

const Published = Schema.Struct({ publishedAt: Timestamp, texts: Schema.Array(Schema.String) })

const Place = Schema.Struct({ id: PostId, scheduledAt: Timestamp })
const PlacedRow = Schema.Struct({ ...Place.fields, status: Schema.Literals(["draft", "scheduled"]) })
const decodePlace = Schema.decodeUnknownEffect(PlacedRow)

const decodePost = Schema.decodeUnknownOption(
  Schema.Struct({
    ...StoredPostRow.fields,
    ...Place.fields,
    isUndecided: Schema.Boolean,
    isRejected: Schema.Boolean
  })
)

const toFound = Effect.fnUntraced(function* (row: unknown) {
  const post = decodePost(row)
  if (Option.isSome(post)) return { _tag: "Post", post: post.value } satisfies FoundPost
  return { _tag: "Unreadable", ...(yield* decodePlace(row)) } satisfies FoundPost
})

const Range = { workspaceId: WorkspaceId, from: Timestamp, until: Timestamp }

export const makeOutlookPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Uses the index posts_by_status_and_time for each status.
  const inWindow = ({ from, until, workspaceId }: Schema.Struct<typeof Range>["Encoded"]) => sql`
    p.workspace_id = ${workspaceId}::uuid AND p.status IN ('draft', 'scheduled')
      AND p.scheduled_at > ${from}::timestamptz AND p.scheduled_at <= ${until}::timestamptz`

  const find = SqlSchema.findAll({
    Request: Schema.Struct({ ...Range, after: Schema.NullOr(Place), limit: Schema.Int }),
    Result: Schema.Unknown,
    execute: ({ after, limit, ...range }) => sql`
      SELECT p.id, ${storedPostColumns(sql)}, ${sql.literal(isUndecided)} AS "isUndecided",
        EXISTS (SELECT FROM post_approvals a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id
          AND a.revision = p.revision AND a.status = 'rejected') AS "isRejected"
      FROM posts p
      WHERE ${inWindow(range)} ${
        after === null
          ? sql.literal("")
          : sql`AND p.scheduled_at >= ${after.scheduledAt}::timestamptz
              AND (p.scheduled_at, p.id) > (${after.scheduledAt}::timestamptz, ${after.id}::uuid)`
      }
      ORDER BY p.scheduled_at, p.id LIMIT ${limit}::int`
  })

  const duePosts: OutlookPosts["duePosts"] = Effect.fn("Repo.outlooks.duePosts")((workspaceId, window, page) =>
    find({ workspaceId, ...window, ...page }).pipe(
      Effect.flatMap(Effect.forEach(toFound)),
      withDatabaseTimeout("reading posts that are due soon")
    )
  )

  const count = SqlSchema.findOne({
    Request: Schema.Struct({ ...Range, most: Schema.Int }),
    Result: Schema.Struct({ found: Schema.Int }),
    execute: ({ most, ...range }) => sql`
      SELECT count(*)::int AS found FROM (SELECT FROM posts p WHERE ${inWindow(range)} LIMIT ${most}::int) due`
  })

  const countDue: OutlookPosts["countDue"] = Effect.fn("Repo.outlooks.countDue")((workspaceId, window, most) =>
    count({ workspaceId, ...window, most }).pipe(
      Effect.map(({ found }) => found),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("counting posts that are due soon")
    )
  )

  const findAccounts = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: AccountRow,
    execute: (workspaceId) => sql`
      SELECT id, platform, account_id AS "accountId", username, service_url AS "serviceUrl", status,
        access_until AS "accessUntil"
      FROM integrations WHERE workspace_id = ${workspaceId}::uuid AND ${isOnKnownPlatform(sql)}`
  })

  const dueAccounts: OutlookPosts["dueAccounts"] = Effect.fn("Repo.outlooks.dueAccounts")((workspaceId) =>
    findAccounts(workspaceId).pipe(withDatabaseTimeout("reading the accounts of posts that are due soon"))
  )

  // Uses the index post_targets_last_published.
  const findPublished = SqlSchema.findAll({
    Request: Schema.Struct({ id: IntegrationId, accountId: Schema.String }),
    Result: Published,
    execute: ({ accountId, id }) => sql`
      SELECT t.published_at AS "publishedAt", ${allTexts(sql, "NULL")} AS texts
      FROM post_targets t JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE t.integration_id = ${id}::uuid AND t.status = 'published'
        AND (t.account_id IS NULL OR t.account_id = ${accountId})
      ORDER BY t.published_at DESC LIMIT ${maxCompared}::int`
  })

  const publishedTexts: OutlookPosts["publishedTexts"] = Effect.fn("Repo.outlooks.publishedTexts")(
    ({ accountId, id }) => findPublished({ accountId, id }).pipe(withDatabaseTimeout("reading an account's last texts"))
  )

  const findRefused = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, since: Timestamp }),
    Result: Schema.Struct({ platform: LivePlatform }),
    execute: ({ since, workspaceId }) => sql`
      SELECT DISTINCT t.platform FROM posts p
      JOIN post_targets t ON t.workspace_id = p.workspace_id AND t.post_id = p.id
      WHERE p.workspace_id = ${workspaceId}::uuid AND p.status IN ('publishing', 'failed')
        AND p.scheduled_at >= ${since}::timestamptz AND strpos(t.error_message, ${creditsSpent}) > 0
        AND ${isOnKnownPlatform(sql)} AND NOT EXISTS (SELECT FROM post_targets later
          WHERE later.integration_id = t.integration_id AND later.status = 'published'
            AND later.published_at > p.scheduled_at)`
  })

  const outOfCredits: OutlookPosts["outOfCredits"] = Effect.fn("Repo.outlooks.outOfCredits")((workspaceId, since) =>
    findRefused({ workspaceId, since }).pipe(
      Effect.map((rows) => rows.map(({ platform }) => platform)),
      withDatabaseTimeout("finding platforms that refuse posts for want of credits")
    )
  )

  return { duePosts, countDue, dueAccounts, publishedTexts, outOfCredits } satisfies OutlookPosts
})
