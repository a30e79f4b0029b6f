import { Effect, Schema } from "effect"
import { PostId } from "../../domain/ids.ts"
import { ifMatch, seenWaitingPost } from "../seenPost.ts"
import { againSentence, isReplayed, onceResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

const leftSentence = (left: number) =>
  left === 0
    ? "Nothing more of it goes out."
    : `Nothing more of it goes out. Left on its platforms: ${left} ${left === 1 ? "post" : "posts"}.`

export const deletePost = makeTool({
  name: "delete_post",
  title: "Delete a post",
  description:
    "Use this to delete a draft or to cancel a scheduled post, once the user agreed. Read the post first, and send its etag. Never deletes a post that is published or failed, which a person does, and takes nothing off a platform.",
  scopes: ["posts:delete"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: Schema.Struct(seenWaitingPost),
  output: Schema.Struct({
    id: PostId,
    deleted: Schema.Literal(true),
    left_on_platforms: Schema.Int,
    ...onceResult
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
          message: `Deleted here. ${leftSentence(data.left_on_platforms)}${replayed ? againSentence : ""}`,
          replayed
        }
      }
    )
})
