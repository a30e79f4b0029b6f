import { Schema } from "effect"

/** A post on a platform that another one replies to. */
export const RepliedPost = Schema.Struct({
  /** X's id of the post, or the address of its record on Bluesky. */
  platformPostId: Schema.String,
  /** The content id of its record on Bluesky; null where it is not known, and on X. */
  cid: Schema.NullOr(Schema.String)
})
export type RepliedPost = typeof RepliedPost.Type

/** What a part of a thread replies to. */
export const Reply = Schema.Struct({
  /** The thread's first post. */
  root: RepliedPost,
  /** The post before this one. */
  parent: RepliedPost,
  /** When the parent was published. */
  parentAt: Schema.DateTimeUtcFromString
})
export type Reply = typeof Reply.Type
