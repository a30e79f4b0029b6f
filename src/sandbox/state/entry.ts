import { Schema } from "effect"
import { ApiKeyId, MediaId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"

export const SandboxAccount = Schema.TaggedStruct("Account", {
  platform: LivePlatform,
  id: Schema.String,
  username: Schema.String,
  displayName: Schema.String,
  /** Null or absent while it is open. */
  closed: Schema.optionalKey(Schema.NullOr(Schema.Literals(["deactivated", "suspended", "takendown"]))),
  /** Absent for the sandbox's own URL. */
  pdsUrl: Schema.optionalKey(Schema.String)
})
export type SandboxAccount = typeof SandboxAccount.Type

/** A pair of tokens. All pairs from one consent are a family. */
export const Grant = Schema.TaggedStruct("Grant", {
  platform: LivePlatform,
  accountId: Schema.String,
  family: Schema.String,
  access: Schema.String,
  refresh: Schema.String,
  /** The earlier refresh token; null for the first pair of a family. */
  replaces: Schema.NullOr(Schema.String),
  /** Times are in milliseconds since 1970, as everywhere in the sandbox. */
  at: Schema.Int,
  accessUntil: Schema.Int,
  refreshUntil: Schema.Int
})
export type Grant = typeof Grant.Type

const Revoked = Schema.TaggedStruct("Revoked", { family: Schema.String })

/** Expires the access tokens issued so far. */
const AccessEnded = Schema.TaggedStruct("AccessEnded", { platform: LivePlatform })

/** The bytes are in memory only, under `id`. */
const SandboxMedia = Schema.Struct({
  id: Schema.String,
  /** The key on timelines, if it is not `id`. */
  key: Schema.optionalKey(Schema.String),
  type: Schema.Literals(["image", "gif", "video"]),
  alt: Schema.String,
  /** The id of the bytes of a video's own thumbnail. */
  poster: Schema.optionalKey(Schema.String)
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

/** `id` is unique within its account. */
export const SandboxPost = Schema.TaggedStruct("Post", {
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  displayName: Schema.String,
  id: Schema.String,
  at: Schema.Int,
  text: Schema.String,
  /** Shown above the text. */
  title: Schema.optionalKey(Schema.String),
  /** In the platform's words; null if all may reply. */
  replySettings: Schema.NullOr(Schema.String),
  /** The `identity` of the thread's first post and of the replied-to post. Absent if this is not a reply. */
  reply: Schema.optionalKey(Schema.Struct({ root: Schema.String, parent: Schema.String })),
  /** Replies are possible from this time; absent if always. */
  repliesFrom: Schema.optionalKey(Schema.Int),
  /** Timelines show the post from this time; absent if always. */
  shownFrom: Schema.optionalKey(Schema.Int),
  media: Schema.optionalKey(Schema.Array(SandboxMedia)),
  card: Schema.optionalKey(SandboxCard),
  /** Null for an example, and on a platform without records. */
  record: Schema.NullOr(Schema.Struct({ cid: Schema.String, value: Schema.Json })),
  /** A demo's example, which was never sent. */
  example: Schema.optionalKey(Schema.Literal(true))
})
export type SandboxPost = typeof SandboxPost.Type

export const postOf = (
  { displayName, id: accountId, platform, username }: SandboxAccount,
  post: Pick<SandboxPost, "id" | "at" | "text"> & Partial<SandboxPost>
): SandboxPost =>
  SandboxPost.make({ platform, accountId, username, displayName, replySettings: null, record: null, ...post })

const Deleted = Schema.TaggedStruct("Deleted", {
  platform: LivePlatform,
  accountId: Schema.String,
  id: Schema.String
})

export const deletionOf = ({ accountId, id, platform }: Pick<SandboxPost, "accountId" | "id" | "platform">) =>
  Deleted.make({ platform, accountId, id })

/** Only the journal's last such entry is valid. */
export const DemoWorkspace = Schema.TaggedStruct("DemoWorkspace", {
  workspaceId: WorkspaceId,
  postIds: Schema.Array(PostId),
  mediaIds: Schema.Array(MediaId),
  keyIds: Schema.Array(ApiKeyId)
})
export type DemoWorkspace = typeof DemoWorkspace.Type

export const Entry = Schema.Union([SandboxAccount, Grant, Revoked, AccessEnded, SandboxPost, Deleted, DemoWorkspace])
export type Entry = typeof Entry.Type
