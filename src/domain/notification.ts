import { Schema } from "effect"
import { IntegrationId, NotificationId, PostId } from "./ids.ts"
import { Instant } from "./instant.ts"
import { Platform } from "./platform.ts"

/** What happened, with a payload of its own for each type. */
export const NotificationEvent = Schema.Union([
  Schema.Struct({
    type: Schema.tag("post.published"),
    metadata: Schema.Struct({ post_id: PostId, platforms: Schema.Array(Platform) })
  }),
  Schema.Struct({
    type: Schema.tag("post.failed"),
    metadata: Schema.Struct({
      post_id: PostId,
      platform: Platform,
      code: Schema.String,
      failures: Schema.Array(Schema.Struct({ platform: Platform, code: Schema.String, message: Schema.String }))
    })
  }),
  Schema.Struct({
    type: Schema.tag("post.approval_requested"),
    metadata: Schema.Struct({ post_id: PostId, scheduled_at: Schema.NullOr(Instant) })
  }),
  Schema.Struct({
    type: Schema.tag("integration.disconnected"),
    metadata: Schema.Struct({ integration_id: IntegrationId, platform: Platform, reason: Schema.String })
  })
])
export type NotificationEvent = typeof NotificationEvent.Type

const common = {
  id: NotificationId,
  title: Schema.String,
  message: Schema.String,
  read: Schema.Boolean,
  action_url: Schema.NullOr(Schema.String),
  created_at: Instant
}

export const Notification = Schema.Union(
  NotificationEvent.members.map((event) => Schema.Struct({ ...common, ...event.fields }))
)
export type Notification = typeof Notification.Type
