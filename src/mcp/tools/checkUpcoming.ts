import { Effect, Schema } from "effect"
import { defaultOutlookHours, maxOutlookHours } from "../../domain/plain/outlook.ts"
import { PostId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { truncated } from "../compactPost.ts"
import { makeTool } from "../tool.ts"

const defaultLimit = 20
const maxLimit = 50

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ format: "int32" })

const input = Schema.Struct({
  hours: Schema.optionalKey(whole(1, maxOutlookHours)).annotateKey({
    description: `How far ahead, ${defaultOutlookHours} by default.`
  }),
  limit: Schema.optionalKey(whole(1, maxLimit)).annotateKey({
    description: `The most posts to list, ${defaultLimit} by default.`
  })
})

const output = Schema.Struct({
  from: Instant,
  until: Instant,
  publishing_held: Schema.Boolean,
  counts: Schema.Struct({ posts: Schema.Int, fine: Schema.Int, need_you: Schema.Int, unchecked: Schema.Int }),
  posts: Schema.Array(
    Schema.Struct({
      id: PostId,
      scheduled_at: Instant,
      status: Schema.String,
      state: Schema.String,
      excerpt: Schema.String,
      findings: Schema.Array(
        Schema.Struct({
          code: Schema.String,
          level: Schema.String,
          message: Schema.String,
          help: Schema.String
        })
      )
    })
  ).annotateKey({ description: "The most urgent first." }),
  left_out: Schema.Int,
  truncated
})

export const checkUpcoming = makeTool({
  name: "check_upcoming",
  title: "Check what is due soon",
  description:
    "Use this to find out if the posts of the next hours will go out as planned; each finding has the step that helps. Changes nothing.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input,
  output,
  run: Effect.fnUntraced(function* ({ hours, limit = defaultLimit }, { contract }) {
    const { data } = yield* contract.outlook.get({ query: { limit, ...(hours !== undefined && { hours }) } })
    const { counts, from, left_out, publishing_held, until } = data
    const posts = data.posts.map(({ excerpt, findings, id, scheduled_at, state, status }) => ({
      id,
      scheduled_at,
      status,
      state,
      excerpt,
      findings: findings.map(({ code, help, level, message }) => ({ code, level, message, help }))
    }))
    return { from, until, publishing_held, counts, posts, left_out }
  })
})
