import { Schema } from "effect"
import { ApiKeyId, MediaId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"

export const SandboxAccount = Schema.TaggedStruct("Account", {
  platform: LivePlatform,
  /** The platform's id of the account. */
  id: Schema.String,
  username: Schema.String,
  displayName: Schema.String,
  /** The reason why the account is closed; null or absent while it is open. */
  closed: Schema.optionalKey(Schema.NullOr(Schema.Literals(["deactivated", "suspended", "takendown"]))),
  /** The URL of the account's server; absent for the sandbox's own. */
  pdsUrl: Schema.optionalKey(Schema.String)
})
export type SandboxAccount = typeof SandboxAccount.Type

/** An issued pair of tokens. All pairs that come from one consent are a family. */
export const Grant = Schema.TaggedStruct("Grant", {
  platform: LivePlatform,
  accountId: Schema.String,
  family: Schema.String,
  access: Schema.String,
  refresh: Schema.String,
  /** The refresh token that this pair was issued for; null for the first pair of a family. */
  replaces: Schema.NullOr(Schema.String),
  /** Times are in milliseconds since 1970, as everywhere in the sandbox. */
  at: Schema.Int,
  accessUntil: Schema.Int,
  refreshUntil: Schema.Int
})
export type Grant = typeof Grant.Type

/** Ends all tokens of a family. */
const Revoked = Schema.TaggedStruct("Revoked", { family: Schema.String })

/** Expires all access tokens that the platform has issued so far. */
const AccessEnded = Schema.TaggedStruct("AccessEnded", { platform: LivePlatform })

/** A file of a post. Its bytes are in memory only, under `id`. */
const SandboxMedia = Schema.Struct({
  id: Schema.String,
  /** Its key on timelines, if that is not `id`. */
  key: Schema.optionalKey(Schema.String),
  type: Schema.Literals(["image", "gif", "video"]),
  alt: Schema.String
})
export type SandboxMedia = typeof SandboxMedia.Type

/** `thumb` is the id of its picture's bytes. */
const SandboxCard = Schema.Struct({
  url: Schema.String,
  title: Schema.String,
  description: Schema.String,
  thumb: Schema.NullOr(Schema.String)
})
export type SandboxCard = typeof SandboxCard.Type

/** An accepted post. `id` is unique within its account. */
export const SandboxPost = Schema.TaggedStruct("Post", {
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  displayName: Schema.String,
  id: Schema.String,
  at: Schema.Int,
  text: Schema.String,
  /** The accounts that may reply, in the platform's words; null for all. */
  replySettings: Schema.NullOr(Schema.String),
  /** The posts that it replies to, by their identity. Absent if it is not a reply. */
  reply: Schema.optionalKey(Schema.Struct({ root: Schema.String, parent: Schema.String })),
  /** The time from which others can reply to it; absent if they always can. */
  repliesFrom: Schema.optionalKey(Schema.Int),
  /** The time from which timelines show it; absent if they always do. */
  shownFrom: Schema.optionalKey(Schema.Int),
  media: Schema.optionalKey(Schema.Array(SandboxMedia)),
  card: Schema.optionalKey(SandboxCard),
  /** The whole record and its content id; null for an example, and on a platform without records. */
  record: Schema.NullOr(Schema.Struct({ cid: Schema.String, value: Schema.Json })),
  /** True for a demo's example, which was never sent. */
  example: Schema.optionalKey(Schema.Literal(true))
})
export type SandboxPost = typeof SandboxPost.Type

/** The account's owner deleted a post. */
const Deleted = Schema.TaggedStruct("Deleted", {
  platform: LivePlatform,
  accountId: Schema.String,
  id: Schema.String
})

/** The demo's workspace from the first start, with its examples. The last entry is valid. */
export const DemoWorkspace = Schema.TaggedStruct("DemoWorkspace", {
  workspaceId: WorkspaceId,
  postIds: Schema.Array(PostId),
  mediaIds: Schema.Array(MediaId),
  keyIds: Schema.Array(ApiKeyId)
})
export type DemoWorkspace = typeof DemoWorkspace.Type

/** Every change of the sandbox's state. The journal is a list of these. */
export const Entry = Schema.Union([SandboxAccount, Grant, Revoked, AccessEnded, SandboxPost, Deleted, DemoWorkspace])
export type Entry = typeof Entry.Type
