import { Effect, Schema, Struct } from "effect"
import { UpdatePost } from "../../api/posts/postBodies.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import type { Post } from "../../domain/posts/post.ts"
import { PostTime } from "../../domain/posts/postTime.ts"
import { readAgain } from "../aside.ts"
import { CompactPost, compactPost, listedHead, truncated } from "../compactPost.ts"
import { changedMembers, omittedMembers } from "../listedPost.ts"
import { listedOccurrence, occurrence } from "../idempotencyKey.ts"
import { ifMatch, seenPost } from "../seenPost.ts"
import { againSentence, heldSentence, heldSince, isReplayed, onceResult } from "../sentences.ts"
import { makeTool } from "../tool.ts"

const timeDescription = "When to publish, under the rules of `schedule_at` on creation."

/** Null counts as unset in every tool, because some clients send it for each argument that is not set. */
const time = {
  scheduled_at: Schema.optionalKey(PostTime.pipe(Schema.annotateEncoded({ description: timeDescription }))),
  remove_time: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "True removes a draft's time. Send neither `scheduled_at` nor `schedule` with it."
  })
}

const isOneTime = Schema.makeFilter(
  ({
    remove_time,
    schedule,
    scheduled_at
  }: {
    readonly remove_time?: boolean
    readonly schedule?: unknown
    readonly scheduled_at?: unknown
  }) => {
    if (remove_time !== true || (scheduled_at === undefined && schedule === undefined)) return undefined
    const other = scheduled_at === undefined ? "schedule" : "scheduled_at"
    return { path: ["remove_time"], issue: `Send either \`remove_time\` or \`${other}\`, not both` }
  }
)

const nothingSentence =
  "No change was sent, so nothing changed. Null counts as unset; `remove_time` removes a draft's time."

const input = Schema.Struct({
  ...seenPost,
  ...Struct.omit(UpdatePost.fields, omittedMembers),
  ...time,
  occurrence
}).check(isOneTime)

const listed = Schema.Struct({ ...seenPost, ...changedMembers, ...time, occurrence: listedOccurrence })

const sentenceOf = (post: Post, approval: (typeof CompactPost.Type)["approval"]): string => {
  if (post.status === "scheduled") return "Changed. The post goes out at its time."
  if (approval === "requested") return "Changed. A person has to approve the draft before it goes out."
  const isOutdated = post.approval?.outdated === true
  return `Changed. The draft does not go out by itself${isOutdated ? "; approval has to be requested again" : ""}.`
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
  run: Effect.fnUntraced(function* ({ etag, id, occurrence: _, remove_time, ...changes }, call) {
    const { agent, baseUrl, contract, idempotencyKey } = call
    const payload = remove_time === true ? { ...changes, scheduled_at: null } : changes
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
    const changed = Object.keys(payload).length === 0 ? nothingSentence : sentenceOf(post, compact.approval)
    const sentence = isChangedSince ? changedSentence : changed
    return {
      ...compact,
      message: `${sentence}${heldSentence(held)}${replayed && !isChangedSince ? againSentence : ""}`,
      replayed
    }
  })
})
