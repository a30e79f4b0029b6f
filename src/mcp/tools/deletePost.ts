import { Effect, Schema } from "effect"
import { PostId } from "../../domain/ids.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, isReplayed, messageResult, replayedResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

export const deletePost = makeTool({
  name: "delete_post",
  title: "Delete a post",
  description:
    "Use this to delete a draft or to cancel a scheduled post, once the user agreed. Read the post first, and send its etag. Never takes a post off a platform: what is published stays there.",
  scopes: ["posts:delete"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: Schema.Struct(seenPost),
  output: Schema.Struct({
    id: PostId,
    deleted: Schema.Literal(true),
    message: messageResult,
    replayed: replayedResult
  }),
  run: ({ etag, id }, { agent, contract, idempotencyKey }) =>
    Effect.map(
      contract.posts.delete({
        params: { id },
        headers: { "if-match": ifMatch(etag), "idempotency-key": idempotencyKey }
      }),
      ({ data }) => {
        const replayed = isReplayed(agent)
        return {
          ...data,
          message: `Deleted here. What was published stays on its platforms.${replayed ? againSentence : ""}`,
          replayed
        }
      }
    )
})
