import { Effect, Schema } from "effect"
import { CreatePost } from "../../api/posts/postBodies.ts"
import { PostId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { postStatuses } from "../../domain/plain/posts.ts"
import { dashboardUrl, etagResult, postUrl, unquoted } from "../compactPost.ts"
import { heldSentence, heldSince, isReplayed, onceResult } from "../sentences.ts"
import { newMembers, newPostIssues } from "../listedPost.ts"
import { listedOccurrence, occurrence } from "../idempotencyKey.ts"
import { makeTool } from "../tool.ts"

const input = Schema.Struct({ ...CreatePost.fields, occurrence })

const listed = Schema.Struct({ ...newMembers, occurrence: listedOccurrence })

const output = Schema.Struct({
  id: PostId,
  status: Schema.Literals(postStatuses),
  scheduled_at: Schema.NullOr(Instant),
  platforms: Schema.Array(Schema.String),
  etag: etagResult,
  next: Schema.Literals(["waits_for_approval", "will_be_published_at", "draft"]).annotateKey({
    description:
      "`waits_for_approval`: a person has to approve it. `will_be_published_at`: it goes out at `scheduled_at`. `draft`: nothing happens by itself."
  }),
  dashboard_url: dashboardUrl,
  ...onceResult
})

type Next = (typeof output.Type)["next"]

const sentences: Readonly<Record<Next, string>> = {
  waits_for_approval: "Saved as a draft with its time. A person has to approve it before it goes out.",
  will_be_published_at: "Scheduled: it goes out at its time.",
  draft: "Saved as a draft. Nothing goes out by itself."
}

const again = " This is the result of an earlier identical call; to make a second post, increase `occurrence`."

export const createPost = makeTool({
  name: "create_post",
  title: "Create a post",
  description:
    "Use this to draft or schedule one post for the workspace's connected accounts; call check_post first. Without schedule_at it is a draft. " +
    "If the user names no time, `schedule: next_slot` takes the next free slot; `scheduled_at` tells which. " +
    "Times are ISO 8601 with an offset, for example 2030-01-31T10:00:00+01:00; ask the user for their zone if it is not known. " +
    "A key that requires approval only drafts: a person is asked, and the post goes out only after that. " +
    "With another key it goes out at its time, or immediately if that is now, and nobody is asked. Uploads no files (add_media does).",
  scopes: ["posts:write"],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  input,
  listed,
  findIssues: newPostIssues,
  output,
  run: Effect.fnUntraced(function* ({ occurrence: _, ...payload }, call) {
    const { agent, baseUrl, contract, idempotencyKey } = call
    const { body, headers } = yield* contract.posts.create({
      headers: { "idempotency-key": idempotencyKey },
      payload
    })
    const replayed = isReplayed(agent)
    const wantsTime =
      (payload.schedule_at !== undefined || payload.schedule !== undefined) && payload.status !== "draft"
    const next: Next =
      body.status === "scheduled"
        ? "will_be_published_at"
        : wantsTime && agent.holder.requiresApproval
          ? "waits_for_approval"
          : "draft"
    const held = next === "draft" ? null : yield* heldSince(call)
    return {
      id: body.id,
      status: body.status,
      scheduled_at: body.scheduled_at,
      platforms: body.platforms,
      etag: unquoted(headers.etag),
      next,
      dashboard_url: postUrl(baseUrl, body.id),
      message: `${sentences[next]}${heldSentence(held)}${replayed ? again : ""}`,
      replayed
    }
  })
})
