import { Effect, Schema, Struct } from "effect"
import { CreatePost } from "../../api/posts/postBodies.ts"
import { ValidationResponse } from "../../api/posts/postResponses.ts"
import { WordedIssue } from "../../domain/errors.ts"
import { truncated } from "../compactPost.ts"
import { newMembers, newPostIssues } from "../listedPost.ts"
import { makeTool } from "../tool.ts"

const members = [
  "content",
  "platforms",
  "thread",
  "platform_overrides",
  "platform_settings",
  "media",
  "schedule_at"
] as const

const input = Schema.Struct(Struct.pick(CreatePost.fields, members))

const listed = Schema.Struct(Struct.pick(newMembers, members))

const validation = ValidationResponse.fields.data.fields

/** Agents read messages: codes and facts would use up a model's context. */
const errors = Schema.Array(WordedIssue).annotateKey({
  description: Schema.resolveAnnotationsKey(validation.errors)?.description
})

const warnings = Schema.optionalKey(Schema.Array(WordedIssue)).annotateKey({
  description: "No refusal."
})

export const checkPost = makeTool({
  name: "check_post",
  title: "Check a post",
  description:
    "Use this before create_post: it tells the text's length and limit on each platform, what would be refused, and what a thread on X is likely to cost. Stores nothing.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input,
  listed,
  findIssues: newPostIssues,
  output: Schema.Struct({ ...Struct.omit(validation, ["card"]), errors, warnings, truncated }),
  run: (payload, { contract }) =>
    Effect.map(contract.posts.validate({ payload }), ({ data }) => Struct.omit(data, ["card"]))
})
