import { Schema } from "effect"

export const RepliedPost = Schema.Struct({
  /** X's id of the post, or the address of its Bluesky record. */
  platformPostId: Schema.String,
  /** The `cid` of a Bluesky record; null if unknown, and on X. */
  cid: Schema.NullOr(Schema.String)
})
export type RepliedPost = typeof RepliedPost.Type

export const Reply = Schema.Struct({
  root: RepliedPost,
  parent: RepliedPost,
  parentAt: Schema.DateTimeUtcFromString
})
export type Reply = typeof Reply.Type
