import { Effect, Schema } from "effect"
import { Instant } from "../../domain/instant.ts"
import { NotificationLevel } from "../../domain/notification.ts"
import { excerptOf } from "../bounds.ts"
import { truncated } from "../compactPost.ts"
import { makeTool } from "../tool.ts"

const maxLimit = 50
const defaultLimit = 20

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ format: "int32" })

const input = Schema.Struct({
  page: Schema.optionalKey(int(0, 1_000_000)).annotateKey({ description: "The number of the page, from 0." }),
  limit: Schema.optionalKey(int(1, maxLimit)).annotateKey({ description: `On a page, ${defaultLimit} by default.` }),
  level: Schema.optionalKey(NotificationLevel).annotateKey({
    description: "`attention`: only what somebody may have to do something about."
  }),
  unread: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether to list only what no member has read and what is not settled."
  })
})

const output = Schema.Struct({
  notifications: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      type: Schema.String,
      level: NotificationLevel,
      title: Schema.String,
      text: Schema.String,
      post_id: Schema.NullOr(Schema.String),
      read: Schema.Boolean,
      created_at: Instant
    })
  ),
  total: Schema.Int,
  page: Schema.Int,
  has_more: Schema.Boolean,
  truncated
})

const postIdOf = (metadata: Readonly<Record<string, unknown>>): string | null => {
  const id = metadata["post_id"]
  return typeof id === "string" ? id : null
}

export const listNotifications = makeTool({
  name: "list_notifications",
  title: "List notifications",
  description:
    "Use this to find what failed or waits for a person in the workspace, with the latest first. Changes nothing, and marks nothing as read.",
  scopes: ["notifications:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input,
  output,
  run: Effect.fnUntraced(function* ({ level, limit = defaultLimit, page = 0, unread }, { contract }) {
    const found = yield* contract.notifications.list({
      query: {
        page,
        limit,
        ...(level !== undefined && { level }),
        ...(unread === true && { unread: "true" as const })
      }
    })
    const notifications = found.data.map(({ created_at, id, level: its, message, metadata, read, title, type }) => ({
      id,
      type,
      level: its,
      title: excerptOf(title, 120),
      text: excerptOf(message, 280),
      post_id: postIdOf({ ...metadata }),
      read,
      created_at
    }))
    return {
      notifications,
      total: "total" in found ? found.total : notifications.length,
      page,
      has_more: found.hasMore
    }
  })
})
