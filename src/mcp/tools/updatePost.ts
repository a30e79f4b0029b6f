import { Effect, Schema, Struct } from "effect"
import { UpdatePost } from "../../api/posts/postBodies.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import type { Post } from "../../domain/posts/post.ts"
import { aside } from "../aside.ts"
import { CompactPost, compactPost, listedHead, truncated } from "../compactPost.ts"
import { changedMembers } from "../listedPost.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, heldSentence, heldSince, isReplayed, messageResult, replayedResult } from "../sentences.ts"
import { type Call, makeTool } from "../tool.ts"

const input = Schema.Struct({ ...seenPost, ...Struct.omit(UpdatePost.fields, ["platforms"]) })

const listed = Schema.Struct({ ...seenPost, ...changedMembers })

/** The post as it is now, or as it was if it can't be read. */
const readAgain = (id: Post["id"], before: Post, call: Call) =>
  aside(
    call,
    Effect.map(call.contract.posts.get({ params: { id } }), ({ body }) => body.data),
    () => before
  )

export const updatePost = makeTool({
  name: "update_post",
  title: "Change a post",
  description:
    "Use this to change a draft or a scheduled post: only the members that you send change, and each replaces what was there. Read the post first, and send its etag. " +
    "Times are ISO 8601 with an offset. Never publishes at once, and never schedules a draft that waits for approval: a person decides on that.",
  scopes: ["posts:write"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input,
  listed,
  output: Schema.Struct({ ...CompactPost.fields, message: messageResult, replayed: replayedResult, truncated }),
  listedOutput: Schema.Struct({ ...listedHead, message: messageResult, replayed: replayedResult }),
  run: ({ etag, id, ...payload }, call) =>
    Effect.gen(function* () {
      const { agent, baseUrl, contract, idempotencyKey } = call
      const change = (headers: { readonly "idempotency-key"?: string }) =>
        Effect.map(
          contract.posts.update({ params: { id }, headers: { ...headers, "if-match": ifMatch(etag) }, payload }),
          ({ body }) => body.data
        )
      const stored = yield* change({ "idempotency-key": idempotencyKey })
      const isRepetition = isReplayed(agent)
      const current = isRepetition ? yield* readAgain(id, stored, call) : stored
      // Unscheduling leads back to an etag that the post had before: what the stored answer speaks of was undone since.
      const isUndone = isRepetition && formatEtag(stored) !== formatEtag(current) && formatEtag(current) === `"${etag}"`
      const post = isUndone ? yield* change({}) : current
      const replayed = isRepetition && !isUndone
      const compact = compactPost(post, baseUrl)
      const waits = post.status === "draft" && compact.approval === "requested"
      const held = waits || post.status === "scheduled" ? yield* heldSince(call) : null
      const sentence = waits
        ? "Changed. A person has to approve the draft before it goes out."
        : post.status === "scheduled"
          ? "Changed. The post goes out at its time."
          : "Changed. The draft does not go out by itself; approval that was asked for before has to be asked for again."
      return {
        ...compact,
        message: `${sentence}${heldSentence(held)}${replayed ? againSentence : ""}`,
        replayed
      }
    })
})
