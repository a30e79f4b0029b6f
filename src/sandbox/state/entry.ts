import { Schema } from "effect"
import { LivePlatform } from "../../domain/platform.ts"

export const SandboxAccount = Schema.TaggedStruct("Account", {
  platform: LivePlatform,
  /** X's numeric user id, or a DID. */
  id: Schema.String,
  username: Schema.String,
  displayName: Schema.String
})
export type SandboxAccount = typeof SandboxAccount.Type

/** A pair of tokens that was given out. All that come from one consent are a family. */
export const Grant = Schema.TaggedStruct("Grant", {
  platform: LivePlatform,
  accountId: Schema.String,
  family: Schema.String,
  access: Schema.String,
  refresh: Schema.String,
  /** The refresh token that this pair was given for; null for the first of a family. */
  replaces: Schema.NullOr(Schema.String),
  /** In milliseconds since 1970, as everywhere in the sandbox. */
  at: Schema.Int,
  accessUntil: Schema.Int,
  refreshUntil: Schema.Int
})
export type Grant = typeof Grant.Type

/** Nothing that the family was given works any longer. */
const Revoked = Schema.TaggedStruct("Revoked", { family: Schema.String })

/** The access tokens that the platform gave out until now have run out. */
const AccessEnded = Schema.TaggedStruct("AccessEnded", { platform: LivePlatform })

/** A post that was taken. `id` is X's post id or a record key. */
export const SandboxPost = Schema.TaggedStruct("Post", {
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  displayName: Schema.String,
  id: Schema.String,
  at: Schema.Int,
  text: Schema.String,
  /** Who may reply on X; null for everyone. */
  replySettings: Schema.NullOr(Schema.String),
  /** The whole record on Bluesky and what it is identified by. */
  record: Schema.NullOr(Schema.Struct({ cid: Schema.String, value: Schema.Json }))
})
export type SandboxPost = typeof SandboxPost.Type

/** Everything that happens in the sandbox; its journal is a list of these. */
export const SandboxEntry = Schema.Union([SandboxAccount, Grant, Revoked, AccessEnded, SandboxPost])
export type SandboxEntry = typeof SandboxEntry.Type
