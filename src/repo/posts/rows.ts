import { Option, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { ApiKeyId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { duplicateWarning } from "../../domain/plain/posts.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { Platform } from "../../domain/platform.ts"
import { StoredOverrides, StoredSettings } from "../../domain/posts/platformSettings.ts"
import { Post, PostStatus, PostTarget, TargetError } from "../../domain/posts/post.ts"
import { showError } from "../../domain/posts/shownError.ts"
import { showParts } from "../../domain/posts/targetParts.ts"
import { Thread } from "../../domain/posts/thread.ts"
import { PostApproval } from "../../domain/posts/postApproval.ts"
import { authorJson, authorText } from "../postgres/author.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { orEmpty } from "../spoiled.ts"
import { maybeSentUnknown } from "../targets/deletedTargets.ts"

/** Statements never find a post by its id alone. */
export const PostKey = Schema.Struct({ workspaceId: WorkspaceId, id: PostId })
export type PostKey = typeof PostKey.Type

export interface PostJson {
  readonly id: PostId
  readonly status: PostStatus
  readonly revision: number
  readonly json: string
}

const StoredParts = Schema.Array(
  Schema.Struct({
    id: Schema.NullOr(Schema.String),
    cid: Schema.NullOr(Schema.String),
    url: Schema.NullOr(Schema.String),
    published_at: Schema.String
  })
)

const StoredMedia = Schema.Array(PostMedia)

const StoredApproval = Schema.Struct({
  ...PostApproval.fields,
  requested_at: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String)
})

/**
 * Values that only a later version knows are left out. An unreadable member is empty, so that the post and its list can
 * still be shown. A change reads `StoredPostRow` instead, which fails.
 */
const Special = Schema.Struct({
  overrides: orEmpty(StoredOverrides, {}),
  settings: orEmpty(StoredSettings, {}),
  media: orEmpty(StoredMedia, []),
  card: orEmpty(Schema.NullOr(LinkCard), null),
  thread: orEmpty(Thread, [])
})

/** Not checked: the column has only UUIDs, and the check takes half of the time to decode a row. */
const StoredPostId = Schema.String.pipe(Schema.brand("PostId"))

export const PostRow = Schema.Struct({
  id: StoredPostId,
  status: PostStatus,
  revision: Schema.Int,
  /** Has `gap` in place of the special members and the approval. */
  json: Schema.String,
  /** Null without special members. */
  special: Schema.NullOr(Special),
  approval: orEmpty(Schema.NullOr(StoredApproval), null)
})
export type PostRow = typeof PostRow.Type

/** As `Instant` encodes a time. Sessions are in UTC. */
const iso = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Looked up only if approval was requested or decided. The version before requests approval without a row in
 * `post_approvals`.
 */
const lastApproval = `CASE WHEN p.approval_requested_revision IS NOT NULL THEN (SELECT to_json(approval) FROM (
      SELECT coalesce(a.status, 'requested') AS status, p.approval_requested_revision AS revision,
        ${iso("a.requested_at")} AS requested_at, ${iso("a.decided_at")} AS decided_at,
        ${authorJson("a.decided_by_key", "a.decided_by_user", "p.workspace_id")} AS decided_by, a.reason,
        (SELECT to_json(requested) FROM (SELECT r.content, r.platform_overrides, r.thread FROM post_approvals r
          WHERE r.workspace_id = p.workspace_id AND r.post_id = p.id AND r.revision < p.revision
          ORDER BY r.revision DESC LIMIT 1) requested) AS requested
      FROM (SELECT) one LEFT JOIN post_approvals a ON a.workspace_id = p.workspace_id AND a.post_id = p.id
        AND a.revision = p.approval_requested_revision) approval) END`

/** Quotation marks in the JSON's texts are escaped, so no text contains the gap. */
const gap = `"~":null`

const encodeSpecial = ({ card, media, overrides, settings, thread }: typeof Special.Type) =>
  `"platform_overrides":${JSON.stringify(overrides)},"platform_settings":${JSON.stringify(settings)},"media":${JSON.stringify(media)},"card":${JSON.stringify(card)},"thread":${JSON.stringify(thread)}`

const noSpecial = encodeSpecial({ overrides: {}, settings: {}, media: [], card: null, thread: [] })

const isSpecial = `(p.platform_overrides <> '{}' OR p.platform_settings <> '{}' OR p.media <> '[]' OR p.card IS NOT NULL
    OR p.thread <> '[]')`

const encoded = (value: string) => `coalesce(to_json(${value})::text, 'null')`

/** Quotes a value that needs no escapes in JSON, such as an id. */
const quoted = (value: string) => `coalesce('"' || ${value} || '"', 'null')`

/** A null text would make the whole JSON null. */
const members = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts)
    .map(([name, text]) => `'"${name}":' || ${text}`)
    .join(" || ',' || ")

const object = (texts: Readonly<Record<string, string>>) => `'{' || ${members(texts)} || '}'`

/** No constraint keeps NULL out of the array. */
const storedTags = "array_remove(p.tags, NULL)"

/** A target that its platform is processing is stored as `pending`, because no process works on it. */
export const shownStatus = `CASE WHEN t.processing_since IS NOT NULL AND t.status = 'pending' AND t.due_at IS NOT NULL
  THEN 'publishing' ELSE t.status END`

/** The error of target `t` as `TargetError`, or null. */
export const targetError = `CASE WHEN t.error_code IS NOT NULL THEN
  jsonb_build_object('code', t.error_code, 'message', t.error_message, 'retryable', t.error_retryable) END`

const targetJson = `'{' || ${members({
  status: `'"' || ${shownStatus} || '"'`,
  platform_post_url: encoded("t.platform_post_url"),
  published_at: quoted(iso("t.published_at")),
  error: `CASE WHEN t.error_code IS NULL THEN 'null' ELSE ${object({
    code: encoded("t.error_code"),
    message: encoded("t.error_message"),
    retryable: encoded("t.error_retryable")
  })} END`,
  // The thread's cursor, from which `withParts` computes the parts.
  parts: `CASE WHEN p.thread = '[]' THEN 'null'
    ELSE jsonb_build_object('part', t.part, 'published', coalesce(t.parts, '[]'))::text END`,
  account_id: encoded(`coalesce(t.account_id, CASE WHEN t.status IN ('pending', 'publishing') THEN
    (SELECT i.account_id FROM integrations i
      WHERE i.workspace_id = t.workspace_id AND i.id = t.integration_id AND i.platform = t.platform) END)`),
  copied_to: quoted("t.copied_to"),
  integrations: object({ platform: `'"' || t.platform || '"'` })
})} || CASE WHEN t.processing_since IS NOT NULL AND t.due_at IS NOT NULL
  THEN ',"processing_since":"' || ${iso("t.processing_since")} || '"}' ELSE '}' END`

/**
 * The database builds the JSON in the order of `Post`, because decoding and encoding its members would take longer.
 * Joining texts takes a fifth less of a list's time than the JSON functions.
 */
const columns = (targets: string, approval: string) => `p.id, p.status, p.revision,
    '{' || ${members({
      id: `'"' || p.id || '"'`,
      status: `'"' || p.status || '"'`,
      content: encoded("p.content"),
      scheduled_at: quoted(iso("p.scheduled_at")),
      published_at: quoted(iso("p.published_at")),
      tags: encoded(storedTags)
    })} || CASE WHEN ${isSpecial} OR p.approval_requested_revision IS NOT NULL
      THEN ',${gap},' ELSE ',${noSpecial},"approval":null,' END || ${members({
        group_id: quoted("p.group_id"),
        copied_from: quoted("p.copied_from"),
        reply_to: quoted("p.reply_to"),
        revision: "p.revision",
        created_by: authorText("p.created_by_key", "p.created_by_user", "p.workspace_id"),
        post_targets: `'[' || coalesce((SELECT string_agg(${targetJson}, ',' ORDER BY t.position)
        FROM ${targets} t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id), '') || ']'`,
        created_at: quoted(iso("p.created_at"))
      })} || '}' AS json,
    CASE WHEN ${isSpecial} THEN json_build_object('overrides', p.platform_overrides, 'settings', p.platform_settings,
      'media', p.media, 'card', p.card, 'thread', p.thread) END AS special,
    ${approval} AS approval`

export const postColumns = (sql: SqlClient.SqlClient, targets = "post_targets") =>
  sql.literal(columns(targets, lastApproval))

export const QuickPostRow = Schema.Struct({ ...PostRow.fields, hasApproval: Schema.Boolean })

/**
 * As text, without the approval. PostgreSQL sets up each subquery on every run, even if unneeded, and the approval's
 * subqueries take a fifth of the time to read one post.
 */
export const quickPostColumns = `${columns("post_targets", "NULL::json")},
    p.approval_requested_revision IS NOT NULL AS "hasApproval"`

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

/** Each target has its cursor in place of the parts. */
const readThreaded = Schema.decodeUnknownOption(
  Schema.Struct({
    content: Schema.String,
    post_targets: Schema.Array(
      Schema.Struct({
        ...Struct.pick(PostTarget.fields, ["status", "error", "integrations"]),
        parts: Schema.Struct({ part: Schema.Int, published: StoredParts })
      })
    )
  })
)

const readMembers = Schema.decodeSync(Schema.fromJsonString(AnyObject))
const readTargets = Schema.decodeUnknownSync(Schema.Array(AnyObject))

/** `parts` is null if the post has values that only a later version knows. */
const withParts = (json: string, { media, overrides, thread }: typeof Special.Type): string => {
  const post = readMembers(json)
  const parts = Option.match(readThreaded(post), {
    onNone: () => [],
    onSome: ({ content, post_targets }) =>
      post_targets.map(({ error, integrations, parts: { part, published }, status }) =>
        showParts(
          { content, overrides, media, thread },
          { status, error, platform: integrations.platform, part, published }
        )
      )
  })
  const targets = readTargets(post["post_targets"]).map((target, index) => ({ ...target, parts: parts[index] ?? null }))
  return JSON.stringify({ ...post, post_targets: targets })
}

const readError = Schema.decodeUnknownOption(TargetError)

const readFailed = Schema.decodeUnknownOption(
  Schema.Struct({
    error: Schema.Unknown,
    parts: Schema.NullOr(Schema.Array(AnyObject)),
    integrations: PostTarget.fields.integrations
  })
)

/** Skips errors that only a later version knows. */
const withFacts = (json: string): string => {
  const post = readMembers(json)
  const targets = readTargets(post["post_targets"]).map((target) =>
    Option.match(readFailed(target), {
      onNone: () => target,
      onSome: ({ error, integrations: { platform }, parts }) => {
        const show = (stored: unknown) =>
          Option.match(readError(stored), {
            onNone: () => stored,
            onSome: (known) => showError(known, platform, parts?.length ?? 1)
          })
        const shown = parts?.map((part) => ({ ...part, error: show(part["error"]) }))
        return { ...target, error: show(error), parts: shown ?? null }
      }
    })
  )
  return JSON.stringify({ ...post, post_targets: targets })
}

export const toPostJson = ({ approval, id, json: built, revision, special, status }: PostRow): PostJson => {
  // Runs even if the thread is unreadable. Texts don't match, because their quotation marks are escaped.
  const whole = special === null || !built.includes('"parts":{') ? built : withParts(built, special)
  const json = whole.includes('"error":{') ? withFacts(whole) : whole
  if (special === null && approval === null) return { id, status, revision, json }
  const own = `${special === null ? noSpecial : encodeSpecial(special)},"approval":${JSON.stringify(approval)}`
  const start = json.indexOf(gap)
  return { id, status, revision, json: json.slice(0, start) + own + json.slice(start + gap.length) }
}

export const parsePost = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(Post)))

export const GuardedPostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int)
})

export const guardedPostColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`id, status, revision, created_by_key AS "createdByKey",
    approval_requested_revision AS "approvalRequestedRevision"`)

export const StoredPostRow = Schema.Struct({
  status: PostStatus,
  content: Schema.String,
  platforms: Schema.Array(Platform),
  scheduledAt: NullableTimestamp,
  tags: Schema.Array(Schema.String),
  overrides: StoredOverrides,
  settings: StoredSettings,
  media: StoredMedia,
  thread: Thread,
  card: Schema.NullOr(LinkCard),
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int),
  maybePublished: Schema.Boolean,
  isSomewhereOut: Schema.Boolean,
  hasUnknownOutcome: Schema.Boolean,
  isBegun: Schema.Boolean,
  isCopied: Schema.Boolean
})

/** True if the post `p`, or a part of its thread, is published, which a draft would hide. */
export const isSomewhereOut = (sql: SqlClient.SqlClient) =>
  sql.literal(`EXISTS (SELECT FROM post_targets o
      WHERE o.workspace_id = p.workspace_id AND o.post_id = p.id AND (o.status = 'published' OR o.part > 1))`)

export const storedPostColumns = (sql: SqlClient.SqlClient) =>
  sql`p.status, p.content, ${sql.literal(storedTags)} AS tags, p.scheduled_at AS "scheduledAt",
    p.platform_overrides AS overrides, p.platform_settings AS settings, p.media, p.thread, p.card, p.revision,
    p.created_by_key AS "createdByKey", p.approval_requested_revision AS "approvalRequestedRevision",
    array(SELECT t.platform FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id ORDER BY t.position) AS platforms,
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id
        AND (t.status = 'published' OR t.sent_at IS NOT NULL OR t.part > 1
          OR t.reconcile_from IS NOT NULL AND t.due_since < t.reconcile_until))
      AS "maybePublished",
    ${isSomewhereOut(sql)} AS "isSomewhereOut",
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'failed' AND t.copied_to IS NULL
        AND (t.error_code = 'outcome_unknown' OR strpos(t.error_message, ${duplicateWarning}) > 0))
      AS "hasUnknownOutcome",
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id
        AND (t.status <> 'pending' OR t.attempts > 0 OR t.part > 1 OR t.reply_to IS NOT NULL OR t.sent_at IS NOT NULL OR ${maybeSentUnknown(sql)}))
      AS "isBegun",
    p.status = 'failed' AND NOT EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'failed' AND t.copied_to IS NULL)
      AS "isCopied"`
