import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { Instant } from "../../domain/instant.ts"
import { makeTool } from "../tool.ts"

const output = Schema.Struct({
  time_zone: Schema.String,
  entries: Schema.Array(
    Schema.Struct({
      weekday: Schema.String,
      time: Schema.String,
      platforms: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
        description: "For posts on these only."
      })
    })
  ).annotateKey({ description: "Without any, every full hour is a slot." }),
  next_slot: Schema.NullOr(Instant).annotateKey({
    description: "Held for nobody; null if all are taken."
  })
})

export const getQueue = makeTool({
  name: "get_queue",
  title: "Get the queue",
  description:
    "Use this to tell the times of a week at which the workspace publishes, and the next free one, which `schedule: next_slot` takes. Changes nothing.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Tool.EmptyParams,
  output,
  run: Effect.fnUntraced(function* (_args, { contract }) {
    const { body } = yield* contract.queue.get()
    const { data: next } = yield* contract.queue.next({ query: {} })
    return { time_zone: next.time_zone, entries: body.data.entries, next_slot: next.scheduled_at }
  })
})
