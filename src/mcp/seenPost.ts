import { Option, Schema } from "effect"
import { PostId } from "../domain/ids.ts"
import { postStatuses } from "../domain/plain/posts.ts"
import { parseIfMatch, type RevisionMatch } from "../domain/posts/revisionMatch.ts"

/** A revision alone would match a post whose status has changed. */
const Etag = Schema.String.check(
  Schema.isPattern(new RegExp(`^[1-9]\\d{0,9}-(?:${postStatuses.join("|")})$`), {
    expected: "the etag of a result, such as 3-draft"
  })
)

/** Names a post as the agent has read it. */
export const seenPost = {
  id: PostId.annotateKey({ description: "The post's id." }),
  etag: Etag.annotateKey({
    description: "The `etag` of the post as you have read it. If the post has changed since, nothing is done."
  })
}

/** What the API takes for an etag. */
export const ifMatch = (etag: string): RevisionMatch => Option.getOrElse(parseIfMatch(`"${etag}"`), () => [])
