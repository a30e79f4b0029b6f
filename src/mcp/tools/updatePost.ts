import { Effect, Schema, Struct } from "effect"
import { UpdatePost } from "../../api/posts/postBodies.ts"
import { CompactPost, compactPost, truncated } from "../compactPost.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, heldSentence, heldSince, isReplayed, messageResult, replayedResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

const input = Schema.Struct({ ...seenPost, ...Struct.omit(UpdatePost.fields, ["platforms"]) })

export const updatePost = makeTool({
  name: "update_post",
  title: "Change a post",
  description:
    "Use this to change a draft or a scheduled post: only the members that you send change, and each replaces what was there. Read the post first, and send its etag. " +
    "Times are ISO 8601 with an offset. Never publishes at once, and never schedules a draft that waits for approval: a person decides on that.",
  scopes: ["posts:write"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input,
  output: Schema.Struct({ ...CompactPost.fields, message: messageResult, replayed: replayedResult, truncated }),
  run: ({ etag, id, ...payload }, call) =>
    Effect.gen(function* () {
      const { agent, baseUrl, contract, idempotencyKey } = call
      const {
        body: { data: post }
      } = yield* contract.posts.update({
        params: { id },
        headers: { "if-match": ifMatch(etag), "idempotency-key": idempotencyKey },
        payload
      })
      const replayed = isReplayed(agent)
      const held = post.status === "scheduled" ? yield* heldSince(call) : null
      const waits = post.status === "draft" && post.approval?.status === "requested"
      const sentence = waits
        ? "Changed. A person has to approve the draft before it goes out."
        : post.status === "scheduled"
          ? "Changed. The post goes out at its time."
          : "Changed. The draft does not go out by itself."
      return {
        ...compactPost(post, baseUrl),
        message: `${sentence}${heldSentence(held)}${replayed ? againSentence : ""}`,
        replayed
      }
    })
})
