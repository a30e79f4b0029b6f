import { Schema } from "effect"
import { GroupId, PostId } from "./ids.ts"
import { Instant } from "./instant.ts"
import { Platform } from "./platform.ts"

export const PostStatus = Schema.Literals(["draft", "scheduled", "publishing", "published", "failed"])
export type PostStatus = typeof PostStatus.Type

export const TargetStatus = Schema.Literals(["pending", "publishing", "published", "failed"])
export type TargetStatus = typeof TargetStatus.Type

/** Why a target was not published, or why its last attempt did not succeed while it is still pending. */
export const TargetError = Schema.Struct({
  code: Schema.Literals([
    "rejected",
    "gave_up",
    "outcome_unknown",
    "missed",
    "needs_reconnect",
    "rate_limited",
    "unavailable"
  ]),
  message: Schema.String,
  /** Whether publishing again can be expected to help. */
  retryable: Schema.Boolean
}).annotate({ identifier: "TargetError" })
export type TargetError = typeof TargetError.Type

const PostTarget = Schema.Struct({
  status: TargetStatus,
  platform_post_url: Schema.NullOr(Schema.String),
  published_at: Schema.NullOr(Instant),
  error: Schema.NullOr(TargetError),
  integrations: Schema.Struct({ platform: Platform })
}).annotate({ identifier: "PostTarget" })
export type PostTarget = typeof PostTarget.Type

export const Post = Schema.Struct({
  id: PostId,
  status: PostStatus,
  content: Schema.String,
  scheduled_at: Schema.NullOr(Instant),
  published_at: Schema.NullOr(Instant),
  tags: Schema.Array(Schema.String),
  group_id: Schema.NullOr(GroupId),
  post_targets: Schema.Array(PostTarget),
  created_at: Instant
})
export type Post = typeof Post.Type
