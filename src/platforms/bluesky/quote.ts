import { Duration, Effect, Option, Schema } from "effect"
import type { QuotedRecord } from "../../domain/posts/linkCard.ts"
import { readResponse } from "../call.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { BlueskyApi } from "./api.ts"
import { Cid } from "./syntax.ts"
import { query, xrpcError } from "./xrpc.ts"

const timeout = Duration.seconds(5)
const posts = "app.bsky.feed.post"

const flag = Schema.optionalKey(Schema.Unknown)
const readPosts = readResponse(
  Schema.Struct({
    posts: Schema.Array(
      Schema.Struct({
        uri: Schema.String,
        cid: Cid,
        author: Schema.Struct({
          viewer: Schema.optionalKey(Schema.Struct({ blockedBy: flag, blocking: flag, blockingByList: flag }))
        }),
        viewer: Schema.optionalKey(Schema.Struct({ embeddingDisabled: flag }))
      })
    )
  })
)
const readRecord = readResponse(Schema.Struct({ cid: Cid }))

const isSet = (value: unknown): boolean => value !== undefined && value !== false && value !== null

/**
 * The record that a post will quote, as the account sees it now: undefined if it is gone, if one of the accounts blocks
 * the other, or if its author allows no quotes. Without a clear answer it stays as it was found.
 */
export const currentQuote = (
  api: BlueskyApi,
  account: AccountAccess,
  found: QuotedRecord
): Effect.Effect<QuotedRecord | undefined> => {
  const [, , repo = "", collection = "", rkey = ""] = found.uri.split("/")

  const asRecord = Effect.gen(function* () {
    const response = yield* api.send(account, (pdsUrl) =>
      query(pdsUrl, "com.atproto.repo.getRecord", { repo, collection, rkey })
    )
    if (xrpcError(response)?.error === "RecordNotFound") return undefined
    const record = response.status === 200 ? readRecord(response) : Option.none()
    return Option.match(record, { onNone: () => found, onSome: ({ cid }) => ({ uri: found.uri, cid }) })
  })

  const asPost = Effect.gen(function* () {
    const response = yield* api.send(account, (pdsUrl) => query(pdsUrl, "app.bsky.feed.getPosts", { uris: found.uri }))
    const read = response.status === 200 ? readPosts(response) : Option.none()
    // A PDS may have no service that shows posts.
    if (Option.isNone(read)) return yield* asRecord
    const post = read.value.posts.find(({ uri }) => uri === found.uri)
    const { blockedBy, blocking, blockingByList } = post?.author.viewer ?? {}
    const hidden = [blockedBy, blocking, blockingByList, post?.viewer?.embeddingDisabled].some(isSet)
    return post === undefined || hidden ? undefined : { uri: found.uri, cid: post.cid }
  })

  return (collection === posts ? asPost : asRecord).pipe(
    // A post is not late and does not fail for this.
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(found) }),
    Effect.orElseSucceed(() => found)
  )
}
