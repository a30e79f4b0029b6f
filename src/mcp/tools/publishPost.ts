import { Effect, Schema } from "effect"
import type { PostStatus } from "../../domain/posts/post.ts"
import { readAgain } from "../aside.ts"
import { CompactPost, compactPost, listedHead, truncated } from "../compactPost.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, heldSentence, heldSince, isReplayed, onceResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

const due = "The post is due now and goes out within a minute; get_post tells when it is out."

/** A repeated call may find the post in any status. */
const sentences: Readonly<Record<PostStatus, string>> = {
  scheduled: due,
  publishing: due,
  published: "The post is out.",
  failed: "The post failed; `platforms` tells why.",
  draft: "The post has since become a draft again, which does not go out by itself."
}

export const publishPost = makeTool({
  name: "publish_post",
  title: "Publish a post now",
  description:
    "Use this to publish a draft or a scheduled post immediately, or to retry a failed one, and only after the user agreed to this very text. Read the post first, and send its etag. " +
    "Never publishes a draft that waits for approval, nor again what may be out already: a person decides on that. Can't be undone.",
  scopes: ["posts:publish"],
  isForDrafting: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: Schema.Struct(seenPost),
  output: Schema.Struct({ ...CompactPost.fields, ...onceResult, truncated }),
  listedOutput: Schema.Struct({ ...listedHead, ...onceResult }),
  run: Effect.fnUntraced(function* ({ etag, id }, call) {
    const { agent, baseUrl, contract, idempotencyKey } = call
    const { body } = yield* contract.posts.publish({
      params: { id },
      headers: { "if-match": ifMatch(etag), "idempotency-key": idempotencyKey }
    })
    const replayed = isReplayed(agent)
    const post = replayed ? yield* readAgain(call, body.data) : body.data
    const held = yield* heldSince(call)
    return {
      ...compactPost(post, baseUrl),
      message: `${sentences[post.status]}${heldSentence(held)}${replayed ? againSentence : ""}`,
      replayed
    }
  })
})
