import { Schema } from "effect"
import { Issue } from "../domain/errors.ts"
import { PostId } from "../domain/ids.ts"
import { Instant } from "../domain/instant.ts"
import { LivePlatform, Platform } from "../domain/platform.ts"
import { Post as DomainPost, PostStatus } from "../domain/post.ts"
import { PostCursor } from "./cursor.ts"

export const Post = DomainPost.annotate({ identifier: "Post" })

export const OnePost = Schema.Struct({ data: Post }).annotate({ identifier: "OnePost" })

/** `next_cursor` is null on the last page. */
export const PostPage = Schema.Struct({
  data: Schema.Array(Post),
  next_cursor: Schema.NullOr(PostCursor)
}).annotate({ identifier: "PostPage" })

/** What creating a post answers: these members and no others. */
export const CreatedPost = Schema.Struct({
  id: PostId,
  status: PostStatus,
  scheduled_at: Schema.NullOr(Instant),
  platforms: Schema.Array(Platform)
}).annotate({ identifier: "CreatedPost" })

/** What deleting a post answers. */
export const DeletedPost = Schema.Struct({
  data: Schema.Struct({ id: PostId, deleted: Schema.Literal(true) })
}).annotate({ identifier: "DeletedPost" })

/** What creating a post would come to. */
export const Validation = Schema.Struct({
  valid: Schema.Boolean,
  errors: Schema.Array(Issue),
  targets: Schema.Array(
    Schema.Struct({ platform: LivePlatform, length: Schema.Int, limit: Schema.Int, valid: Schema.Boolean })
  )
}).annotate({ identifier: "Validation" })
