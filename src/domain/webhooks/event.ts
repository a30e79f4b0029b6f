import { Schema } from "effect"
import { IntegrationId, PostId, WebhookId } from "../ids.ts"
import { Instant } from "../instant.ts"
import { webhookEventTypes } from "../plain/events.ts"
import { LivePlatform, Platform } from "../platform.ts"
import { PostStatus, TargetError, TargetStatus } from "../posts/post.ts"
import { eventExamples } from "./eventExamples.ts"

const timestamp = Instant.pipe(
  Schema.annotateEncoded({ description: "When it happened, not when this was delivered." })
)

const event = <const Type extends string, const Data extends Schema.Struct.Fields>(type: Type, data: Data) =>
  Schema.Struct({
    type: Schema.tag(type).annotateKey({ description: "The type of event." }),
    timestamp,
    data: Schema.Struct(data).annotateKey({ description: "The details, which depend on the type." })
  })

const post_id = PostId.annotateKey({ description: "The post's id." })
const integration_id = IntegrationId.annotateKey({ description: "The account's id." })
const status = PostStatus.annotateKey({ description: "The post's status at that moment." })
const revision = Schema.Int.annotateKey({ description: "The post's revision." })
const url = Schema.NullOr(Schema.String).annotateKey({
  description: "The post's URL on the platform; null until it is published."
})
const errorCode = TargetError.fields.code
const targetStatus = TargetStatus.annotateKey({ description: "The target's status at that moment." })

const targets = Schema.Array(
  Schema.Struct({
    platform: LivePlatform,
    status: targetStatus,
    url,
    error_code: Schema.NullOr(errorCode).annotateKey({ description: "The reason on this platform; null without one." })
  })
).annotateKey({ description: "The post on each of its platforms." })

const PostScheduled = event("post.scheduled", {
  post_id,
  status,
  revision,
  scheduled_at: Instant.pipe(Schema.annotateEncoded({ description: "When the post is due." }))
})
const PostPublished = event("post.published", { post_id, status, targets })
const PostFailed = event("post.failed", { post_id, status, targets })
const TargetPublished = event("post.target.published", {
  post_id,
  integration_id,
  platform: LivePlatform,
  status: targetStatus,
  url
})
const TargetFailed = event("post.target.failed", {
  post_id,
  integration_id,
  platform: LivePlatform,
  status: targetStatus,
  error_code: errorCode,
  retryable: TargetError.fields.retryable
})
const ApprovalRequested = event("post.approval_requested", {
  post_id,
  scheduled_at: Schema.NullOr(Instant).annotateKey({ description: "The requested time; null without one." })
})
const PostApproved = event("post.approved", { post_id, revision })
const PostRejected = event("post.rejected", { post_id, revision })
const PostDeleted = event("post.deleted", { post_id })
const IntegrationConnected = event("integration.connected", {
  integration_id,
  platform: Platform,
  status: Schema.Literal("connected").annotateKey({ description: "The account's status." })
})
const IntegrationDisconnected = event("integration.disconnected", {
  integration_id,
  platform: Platform,
  status: Schema.Literals(["needs_reconnect", "disconnected"]).annotateKey({
    description:
      "`needs_reconnect`: the platform refused the credentials. `disconnected`: a person or an API key disconnected it."
  })
})
const WebhookTest = event("webhook.test", {
  webhook_id: WebhookId.annotateKey({ description: "The webhook that was tested." })
})

// The remaining events are only in a post's history.
const PostUpdated = event("post.updated", { post_id, status, revision })
const TargetRetried = event("post.target.retried", {
  post_id,
  integration_id,
  platform: LivePlatform,
  status: targetStatus,
  attempt: Schema.Int.annotateKey({
    description: "The number of attempts so far; 0 if a thread waits before its first attempt."
  }),
  error_code: errorCode,
  retry_at: Instant.pipe(Schema.annotateEncoded({ description: "When the next attempt is due, or the first one." }))
})

const PartPublished = event("post.target.part_published", {
  post_id,
  integration_id,
  platform: LivePlatform,
  status: targetStatus,
  part: Schema.Int.annotateKey({ description: "The number of the part among those that the platform gets, from 1." }),
  url: Schema.NullOr(Schema.String).annotateKey({ description: "The part's URL on the platform; null without one." })
})

export const WebhookEventType = Schema.Literals(webhookEventTypes).annotate({
  title: "WebhookEventType",
  description: "A type of event that webhooks are sent.",
  examples: ["post.published"]
})
export type WebhookEventType = typeof WebhookEventType.Type

const isForWebhooks = Schema.is(WebhookEventType)

/** `test`: only the tested webhook. `history`: only the post's history. */
export const EventAudience = Schema.Literals(["webhooks", "test", "history"])

export const audienceOf = (type: string): typeof EventAudience.Type => {
  if (type === "webhook.test") return "test"
  return isForWebhooks(type) ? "webhooks" : "history"
}

const delivered = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  identifier: string,
  description: string,
  example: Schema.Struct<Fields>["Encoded"]
) =>
  Schema.Struct(fields)
    .annotate({ identifier, description })
    .pipe(Schema.annotateEncoded({ examples: [example] }))

const webhookEvents = [
  delivered(
    PostScheduled.fields,
    "PostScheduledEvent",
    "A post was scheduled, or its time or content was changed while it was scheduled.",
    eventExamples["post.scheduled"]
  ),
  delivered(
    PostPublished.fields,
    "PostPublishedEvent",
    "A post was published on all of its platforms.",
    eventExamples["post.published"]
  ),
  delivered(
    PostFailed.fields,
    "PostFailedEvent",
    "Publishing a post has ended, and failed on at least one platform.",
    eventExamples["post.failed"]
  ),
  delivered(
    TargetPublished.fields,
    "PostTargetPublishedEvent",
    "A post was published on one of its platforms.",
    eventExamples["post.target.published"]
  ),
  delivered(
    TargetFailed.fields,
    "PostTargetFailedEvent",
    "Publishing a post on one of its platforms failed, and is not retried automatically.",
    eventExamples["post.target.failed"]
  ),
  delivered(
    ApprovalRequested.fields,
    "PostApprovalRequestedEvent",
    "A post needs the approval of a person, or of an API key that does not require approval itself.",
    eventExamples["post.approval_requested"]
  ),
  delivered(
    PostApproved.fields,
    "PostApprovedEvent",
    "A revision of a post was approved, by a person or an API key that requires no approval.",
    eventExamples["post.approved"]
  ),
  delivered(
    PostRejected.fields,
    "PostRejectedEvent",
    "A revision of a post was rejected, by a person or an API key that requires no approval.",
    eventExamples["post.rejected"]
  ),
  delivered(
    PostDeleted.fields,
    "PostDeletedEvent",
    "A post was deleted here; what was published stays on its platforms.",
    eventExamples["post.deleted"]
  ),
  delivered(
    IntegrationConnected.fields,
    "IntegrationConnectedEvent",
    "An account was connected, or connected again.",
    eventExamples["integration.connected"]
  ),
  delivered(
    IntegrationDisconnected.fields,
    "IntegrationDisconnectedEvent",
    "An account can't be published to until it is connected again.",
    eventExamples["integration.disconnected"]
  )
] as const

const TestEvent = delivered(
  WebhookTest.fields,
  "WebhookTestEvent",
  "A test of a webhook, sent only to that webhook.",
  eventExamples["webhook.test"]
)

const historyEvents = [
  delivered(
    PostUpdated.fields,
    "PostUpdatedEvent",
    "A post was changed without being scheduled. Only in a post's history.",
    eventExamples["post.updated"]
  ),
  delivered(
    TargetRetried.fields,
    "PostTargetRetriedEvent",
    "An attempt to publish a post on one of its platforms failed and will be repeated. Only in a post's history.",
    eventExamples["post.target.retried"]
  ),
  delivered(
    PartPublished.fields,
    "PostTargetPartPublishedEvent",
    "A part of a thread was published, and others follow. The last part ends the thread there. Only in a post's history.",
    eventExamples["post.target.part_published"]
  )
] as const

export const deliveredEvents = [...webhookEvents, TestEvent].map((schema) => {
  const { description, identifier } = Schema.resolveAnnotations(schema) ?? {}
  const type = schema.fields.type.schema.literal
  return { type, name: String(identifier), description: String(description), example: eventExamples[type] }
})

const knownTypes: ReadonlySet<string> = new Set(
  [...webhookEvents, TestEvent, ...historyEvents].map(({ fields }) => fields.type.schema.literal)
)

const isOther = Schema.makeFilter((type: string) => !knownTypes.has(type), { expected: "another type" })

/** A type unknown to this version: stored by a later version, or newer than the reader's contract. */
const OtherEvent = delivered(
  {
    type: Schema.String.check(isOther).annotateKey({
      description: "A type of event that the other schemas don't have."
    }),
    timestamp,
    data: Schema.Record(Schema.String, Schema.Json).annotateKey({ description: "The details." })
  },
  "OtherEvent",
  "An event of a type that may be added later; ignore what you don't know.",
  eventExamples["post.example"]
)

export const Event = Schema.Union([...webhookEvents, TestEvent, OtherEvent])
  .annotate({ identifier: "Event", description: "What happened; `type` determines the members of `data`." })
  .pipe(Schema.annotateEncoded({ examples: [eventExamples["post.published"]] }))
export type Event = typeof Event.Type

export const HistoryEvent = Schema.Union([...webhookEvents, ...historyEvents, OtherEvent])
  .annotate({
    identifier: "HistoryEvent",
    description: "What happened to a post; `type` determines the members of `data`."
  })
  .pipe(Schema.annotateEncoded({ examples: [eventExamples["post.updated"]] }))
export type HistoryEvent = typeof HistoryEvent.Type

const content = <const Type extends Schema.Constraint, const Data extends Schema.Constraint>({
  fields: { data, type }
}: {
  readonly fields: { readonly type: Type; readonly data: Data }
}) => Schema.Struct({ type, data })

/** An event to record, without its time. */
export const NewEvent = Schema.Union([
  content(PostScheduled),
  content(PostPublished),
  content(PostFailed),
  content(TargetPublished),
  content(TargetFailed),
  content(ApprovalRequested),
  content(PostApproved),
  content(PostRejected),
  content(PostDeleted),
  content(IntegrationConnected),
  content(IntegrationDisconnected),
  content(WebhookTest),
  content(PostUpdated),
  content(TargetRetried),
  content(PartPublished)
])
export type NewEvent = typeof NewEvent.Type
