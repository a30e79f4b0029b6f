import { Effect, Schema, Struct } from "effect"
import { UpdatePost } from "../../api/posts/postBodies.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import type { Post } from "../../domain/posts/post.ts"
import { readAgain } from "../aside.ts"
import { CompactPost, compactPost, listedHead, truncated } from "../compactPost.ts"
import { changedMembers } from "../listedPost.ts"
import { listedOccurrence, occurrence } from "../idempotencyKey.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, heldSentence, heldSince, isReplayed, onceResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

const input = Schema.Struct({ ...seenPost, ...Struct.omit(UpdatePost.fields, ["platforms"]), occurrence })

const listed = Schema.Struct({ ...seenPost, ...changedMembers, occurrence: listedOccurrence })

const sentenceOf = (post: Post, approval: (typeof CompactPost.Type)["approval"]): string => {
  if (post.status === "scheduled") return "Changed. The post goes out at its time."
  if (approval === "requested") return "Changed. A person has to approve the draft before it goes out."
  const wasAsked = post.approval !== null && approval === null
  return `Changed. The draft does not go out by itself${wasAsked ? "; approval has to be requested again" : ""}.`
}

const changedSentence =
  "The same call was carried out before, and the post was changed since: this call changed nothing. To change it anyway, increase `occurrence`."

export const updatePost = makeTool({
  name: "update_post",
  title: "Change a post",
  description:
    "Use this to change a draft or a scheduled post: only the members that you send change, and each replaces what was there. Read the post first, and send its etag. " +
    "Times are ISO 8601 with an offset. Never publishes immediately, and never schedules a draft that waits for approval: a person decides on that.",
  scopes: ["posts:write"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input,
  listed,
  output: Schema.Struct({ ...CompactPost.fields, ...onceResult, truncated }),
  listedOutput: Schema.Struct({ ...listedHead, ...onceResult }),
  run: Effect.fnUntraced(function* ({ etag, id, occurrence: _, ...payload }, call) {
    const { agent, baseUrl, contract, idempotencyKey } = call
    const { body } = yield* contract.posts.update({
      params: { id },
      headers: { "idempotency-key": idempotencyKey, "if-match": ifMatch(etag) },
      payload
    })
    const stored = body.data
    const replayed = isReplayed(agent)
    const post = replayed ? yield* readAgain(call, stored) : stored
    const compact = compactPost(post, baseUrl)
    // A person may have reverted the change since. A late repetition of the call must not report it as made.
    const isChangedSince = formatEtag(post) !== formatEtag(stored)
    const goesOut = post.status === "scheduled" || compact.approval === "requested"
    const held = goesOut ? yield* heldSince(call) : null
    const sentence = isChangedSince ? changedSentence : sentenceOf(post, compact.approval)
    return {
      ...compact,
      message: `${sentence}${heldSentence(held)}${replayed && !isChangedSince ? againSentence : ""}`,
      replayed
    }
  })
})
