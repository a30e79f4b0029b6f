import { Option, Schema } from "effect"
import { PostId } from "../domain/ids.ts"
import { postStatuses } from "../domain/plain/posts.ts"
import { parseIfMatch, type RevisionMatch } from "../domain/posts/revisionMatch.ts"

/** Contains the status, because a post's status can change while its revision stays. */
const etagOf = (statuses: ReadonlyArray<string>, expected: string) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^(?:W/)?"?[1-9]\\d{0,9}-(?:${statuses.join("|")})"?$`), { expected })
  ).annotateKey({
    description: "The `etag` of the post as you have read it. If the post has changed since, nothing is done."
  })

const id = PostId.annotateKey({ description: "The post's id." })

export const seenPost = { id, etag: etagOf(postStatuses, "the etag of a result, such as 3-draft") }

export const seenWaitingPost = {
  id,
  etag: etagOf(
    ["draft", "scheduled"],
    "the etag of a draft or of a scheduled post, such as 3-draft; a person deletes others"
  )
}

/** An agent may send the `ETag` header of the API, which has quotes. */
export const ifMatch = (etag: string): RevisionMatch =>
  Option.getOrElse(parseIfMatch(`"${etag.replaceAll(/^W\/|"/g, "")}"`), () => [])
