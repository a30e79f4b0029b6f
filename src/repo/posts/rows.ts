import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { Post, PostStatus } from "../../domain/posts/post.ts"
import { PostApproval } from "../../domain/posts/postApproval.ts"
import { orEmpty } from "../spoiled.ts"
import { withFacts, withParts } from "./computedMembers.ts"
import { columnsOf, gap, lastApproval } from "./postJson.ts"
import { encodeSpecial, noSpecial, Special } from "./specialMembers.ts"

/** Statements never find a post by its id alone. */
export const PostKey = Schema.Struct({ workspaceId: WorkspaceId, id: PostId })
export type PostKey = typeof PostKey.Type

export interface PostJson {
  readonly id: PostId
  readonly status: PostStatus
  readonly revision: number
  readonly json: string
}

const StoredApproval = Schema.Struct({
  ...PostApproval.fields,
  requested_at: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String)
})

/** Unchecked, because the column contains only UUIDs, and a check would double the time to decode a row. */
const StoredPostId = Schema.String.pipe(Schema.brand("PostId"))

export const PostRow = Schema.Struct({
  id: StoredPostId,
  status: PostStatus,
  revision: Schema.Int,
  /** Has `gap` in place of the special members and the approval. */
  json: Schema.String,
  /** Null if the post has no special members. */
  special: Schema.NullOr(Special),
  approval: orEmpty(Schema.NullOr(StoredApproval), null)
})
export type PostRow = typeof PostRow.Type

export const postColumns = (sql: SqlClient.SqlClient, targets = "post_targets") =>
  sql.literal(columnsOf(targets, lastApproval))

export const QuickPostRow = Schema.Struct({ ...PostRow.fields, hasApproval: Schema.Boolean })

/**
 * Without the approval, whose subqueries take a fifth of the time to read one post, because PostgreSQL initializes
 * every subquery even if it is not needed.
 */
export const quickPostColumns = `${columnsOf("post_targets", "NULL::json")},
    p.approval_requested_revision IS NOT NULL AS "hasApproval"`

export const toPostJson = ({ approval, id, json: built, revision, special, status }: PostRow): PostJson => {
  // Also true if the thread is unreadable. A text can't match, because JSON escapes its quotation marks.
  const whole = special === null || !built.includes('"parts":{') ? built : withParts(built, special)
  const json = whole.includes('"error":{') ? withFacts(whole) : whole
  if (special === null && approval === null) return { id, status, revision, json }
  const own = `${special === null ? noSpecial : encodeSpecial(special)},"approval":${JSON.stringify(approval)}`
  const start = json.indexOf(gap)
  return { id, status, revision, json: json.slice(0, start) + own + json.slice(start + gap.length) }
}

export const parsePost = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(Post)))
