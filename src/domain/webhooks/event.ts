import { Schema, String } from "effect"
import { IntegrationId, PostId, WebhookId } from "../ids.ts"
import { describedInstant, Instant } from "../instant.ts"
import { webhookEventTypes } from "../plain/events.ts"
import { LivePlatform, Platform } from "../platform.ts"
import { PostStatus, TargetError, TargetStatus } from "../posts/post.ts"
import { eventExamples } from "./eventExamples.ts"

const timestamp = describedInstant("When it happened, not when this was delivered.")

const delivered = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  identifier: string,
  description: string,
  example: Schema.Struct<Fields>["Encoded"]
) =>
  Schema.Struct(fields)
    .annotate({ identifier, description })
    .pipe(Schema.annotateEncoded({ examples: [example] }))

const eventFields = <const Type extends string, const Data extends Schema.Struct.Fields>(type: Type, data: Data) => ({
  type: Schema.tag(type).annotateKey({ description: "The type of event." }),
  timestamp,
  data: Schema.Struct(data).annotateKey({ description: "The details, which depend on the type." })
})

/** The type names the schema: `post.failed` is `PostFailedEvent`. */
const event = <const Type extends string, const Data extends Schema.Struct.Fields>(
  type: Type,
  description: string,
  data: Data,
  example: Schema.Struct<ReturnType<typeof eventFields<Type, Data>>>["Encoded"]
) => delivered(eventFields(type, data), `${String.snakeToPascal(type.replaceAll(".", "_"))}Event`, description, example)

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

const PostScheduled = event(
  "post.scheduled",
  "A post was scheduled, or its time or content was changed while it was scheduled.",
  {
    post_id,
    status,
    revision,
    scheduled_at: describedInstant("The post's time; long before the event if what failed is published again.")
  },
  eventExamples["post.scheduled"]
)
const PostPublished = event(
  "post.published",
  "A post was published on all of its platforms.",
  { post_id, status, targets },
  eventExamples["post.published"]
)
const PostFailed = event(
  "post.failed",
  "Publishing a post has ended, and failed on at least one platform.",
  { post_id, status, targets },
  eventExamples["post.failed"]
)
const TargetPublished = event(
  "post.target.published",
  "A post was published on one of its platforms.",
  { post_id, integration_id, platform: LivePlatform, status: targetStatus, url },
  eventExamples["post.target.published"]
)
const TargetFailed = event(
  "post.target.failed",
  "Publishing a post on one of its platforms failed, and is not retried automatically.",
  {
    post_id,
    integration_id,
    platform: LivePlatform,
    status: targetStatus,
    error_code: errorCode,
    retryable: TargetError.fields.retryable
  },
  eventExamples["post.target.failed"]
)
const ApprovalRequested = event(
  "post.approval_requested",
  "A post needs the approval of a person, or of an API key that does not require approval itself.",
  {
    post_id,
    scheduled_at: Schema.NullOr(Instant).annotateKey({ description: "The requested time; null without one." })
  },
  eventExamples["post.approval_requested"]
)
const PostApproved = event(
  "post.approved",
  "A revision of a post was approved, by a person or an API key that requires no approval.",
  { post_id, revision },
  eventExamples["post.approved"]
)
const PostRejected = event(
  "post.rejected",
  "A revision of a post was rejected, by a person or an API key that requires no approval.",
  { post_id, revision },
  eventExamples["post.rejected"]
)
const PostDeleted = event(
  "post.deleted",
  "A post was deleted here; what was published stays on its platforms.",
  { post_id },
  eventExamples["post.deleted"]
)
const IntegrationConnected = event(
  "integration.connected",
  "An account was connected, or connected again.",
  {
    integration_id,
    platform: Platform,
    status: Schema.Literal("connected").annotateKey({ description: "The account's status." })
  },
  eventExamples["integration.connected"]
)
const IntegrationDisconnected = event(
  "integration.disconnected",
  "An account can't be published to until it is connected again.",
  {
    integration_id,
    platform: Platform,
    status: Schema.Literals(["needs_reconnect", "disconnected"]).annotateKey({
      description:
        "`needs_reconnect`: the platform refused the credentials. `disconnected`: a person or an API key disconnected it."
    })
  },
  eventExamples["integration.disconnected"]
)
const WebhookTest = event(
  "webhook.test",
  "A test of a webhook, sent only to that webhook.",
  { webhook_id: WebhookId.annotateKey({ description: "The webhook that was tested." }) },
  eventExamples["webhook.test"]
)

// The following events are only in a post's history.
const PostUpdated = event(
  "post.updated",
  "A post was changed without being scheduled. Only in a post's history.",
  { post_id, status, revision },
  eventExamples["post.updated"]
)
const TargetRetried = event(
  "post.target.retried",
  "An attempt to publish a post on one of its platforms failed and will be repeated. Only in a post's history.",
  {
    post_id,
    integration_id,
    platform: LivePlatform,
    status: targetStatus,
    attempt: Schema.Int.annotateKey({
      description: "The number of attempts so far; 0 if a thread waits before its first attempt."
    }),
    error_code: errorCode,
    retry_at: describedInstant("When the next attempt is due, or the first one.")
  },
  eventExamples["post.target.retried"]
)

const PartPublished = event(
  "post.target.part_published",
  "A part of a thread was published, and others follow. The last part ends the thread there. Only in a post's history.",
  {
    post_id,
    integration_id,
    platform: LivePlatform,
    status: targetStatus,
    part: Schema.Int.annotateKey({ description: "The number of the part among those that the platform gets, from 1." }),
    url: Schema.NullOr(Schema.String).annotateKey({ description: "The part's URL on the platform; null without one." })
  },
  eventExamples["post.target.part_published"]
)

export const WebhookEventType = Schema.Literals(webhookEventTypes).annotate({
  title: "WebhookEventType",
  description: "A type of event that webhooks are sent.",
  examples: ["post.published"]
})
export type WebhookEventType = typeof WebhookEventType.Type

const isForWebhooks = Schema.is(WebhookEventType)

/**
 * The receivers of an event. `test`: only the webhook that is tested. `history`: no webhook, only the post's history.
 */
export const EventAudience = Schema.Literals(["webhooks", "test", "history"])

export const audienceOf = (type: string): typeof EventAudience.Type => {
  if (type === "webhook.test") return "test"
  return isForWebhooks(type) ? "webhooks" : "history"
}

const webhookEvents = [
  PostScheduled,
  PostPublished,
  PostFailed,
  TargetPublished,
  TargetFailed,
  ApprovalRequested,
  PostApproved,
  PostRejected,
  PostDeleted,
  IntegrationConnected,
  IntegrationDisconnected
] as const

const historyEvents = [PostUpdated, TargetRetried, PartPublished] as const

export const deliveredEvents = [...webhookEvents, WebhookTest].map((schema) => {
  const { description, identifier } = Schema.resolveAnnotations(schema) ?? {}
  const type = schema.fields.type.schema.literal
  return { type, name: `${identifier}`, description: `${description}`, example: eventExamples[type] }
})

const knownTypes: ReadonlySet<string> = new Set(
  [...webhookEvents, WebhookTest, ...historyEvents].map(({ fields }) => fields.type.schema.literal)
)

const isOther = Schema.makeFilter((type: string) => !knownTypes.has(type), { expected: "another type" })

/** A type unknown to this version, such as a later version's. */
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

export const Event = Schema.Union([...webhookEvents, WebhookTest, OtherEvent])
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
