import { Duration, Schema } from "effect"
import { WebhookEventType } from "./event.ts"
import { eventExamples } from "./eventExamples.ts"
import { EventId, WebhookId } from "../ids.ts"
import { describedInstant, Instant } from "../instant.ts"
import { NamedAuthor, userExample } from "../people/namedAuthor.ts"
import * as sample from "../samples.ts"

/** Per request. */
export const maxReplayed = 10_000

/** The time during which a replaced secret also signs, by default and at most. */
export const defaultSecretOverlap = Duration.hours(24)
export const maxSecretOverlap = Duration.days(7)

export const deliveryRetention = Duration.days(30)
export const eventRetention = Duration.days(90)

export const DisabledReason = Schema.Literals(["manual", "gone", "failing"]).annotate({
  title: "WebhookDisabledReason",
  description:
    "`manual`: it was disabled with the API or the command line. `gone`: it responded with 410. " +
    "`failing`: every delivery of five days failed.",
  examples: ["failing"]
})
export type DisabledReason = typeof DisabledReason.Type

export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"]).annotate({
  title: "DeliveryStatus",
  description:
    "`pending`: waiting for its next attempt, or being sent. `delivered`: the receiver responded with a 2xx. `failed`: given up.",
  examples: ["delivered"]
})
export type DeliveryStatus = typeof DeliveryStatus.Type

export const webhookExample = {
  id: sample.webhookId,
  url: "https://hooks.example/…",
  description: "Tells the newsroom",
  events: ["post.published", "post.failed"],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: "2030-01-02T08:15:30.250Z",
  created_by: userExample
} as const

export const Webhook = Schema.Struct({
  id: WebhookId.annotateKey({ description: "The webhook's id." }),
  url: Schema.String.annotateKey({
    description:
      "Where events are sent, shortened, as it may hold a secret: the origin, `/…` if there is more, and the last four characters of a long URL."
  }),
  description: Schema.NullOr(Schema.String).annotateKey({ description: "A description for people; null without one." }),
  events: Schema.NullOr(Schema.Array(WebhookEventType)).annotateKey({
    description: "The types of events that are sent to it; null for all, including later ones."
  }),
  enabled: Schema.Boolean.annotateKey({ description: "Whether events are sent." }),
  disabled_reason: Schema.NullOr(DisabledReason).annotateKey({
    description: "Why no events are sent; null while they are."
  }),
  failing_since: Schema.NullOr(Instant).annotateKey({
    description: "Since when every attempt has failed; null if the last one succeeded."
  }),
  created_at: describedInstant("When the webhook was created."),
  created_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who created the webhook; null if that is not known, as for webhooks from before this was recorded."
  })
})
  .annotate({ identifier: "Webhook", description: "A URL that the workspace's events are sent to." })
  .pipe(Schema.annotateEncoded({ examples: [webhookExample] }))
export type Webhook = typeof Webhook.Type

/** In bytes; the rest is not read. */
export const maxLoggedResponse = 1_000

const attempt = {
  at: "2030-01-31T09:00:02.004Z",
  status: 503,
  duration_ms: 41,
  error: null,
  response: "try later"
} as const

export const DeliveryAttempt = Schema.Struct({
  at: describedInstant("When the attempt ended."),
  status: Schema.NullOr(Schema.Int).annotateKey({ description: "The status of the response; null without one." }),
  duration_ms: Schema.Int.annotateKey({ description: "How long it took, in milliseconds." }),
  error: Schema.NullOr(Schema.String).annotateKey({ description: "Why there is no response; null with one." }),
  response: Schema.String.annotateKey({
    description: `The first ${maxLoggedResponse} bytes of the response's body.`
  })
})
  .annotate({ identifier: "DeliveryAttempt", description: "One request to a webhook." })
  .pipe(Schema.annotateEncoded({ examples: [attempt] }))
export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const deliveryExample = {
  id: sample.eventId,
  type: "post.published",
  status: "pending",
  attempts: 1,
  next_attempt_at: "2030-01-31T09:00:07.004Z",
  created_at: "2030-01-31T09:00:01.500Z",
  payload: eventExamples["post.published"],
  log: [attempt]
} as const

export const Delivery = Schema.Struct({
  id: EventId.annotateKey({ description: "The event's id, which is sent as `webhook-id`." }),
  type: Schema.String.annotateKey({ description: "The type of the event." }),
  status: DeliveryStatus,
  attempts: Schema.Int.annotateKey({ description: "The number of attempts since it was last queued." }),
  next_attempt_at: Schema.NullOr(Instant).annotateKey({
    description: "When the next attempt is due; null if there is none."
  }),
  created_at: describedInstant("When it was queued: for the first time, or to be sent again."),
  payload: Schema.Record(Schema.String, Schema.Json).annotateKey({
    description:
      "What is sent: the event's type, timestamp and data. The order of its members and its whitespace may differ."
  }),
  log: Schema.Array(DeliveryAttempt).annotateKey({ description: "The latest attempts, oldest first." })
})
  .annotate({ identifier: "Delivery", description: "An event on its way to a webhook." })
  .pipe(Schema.annotateEncoded({ examples: [deliveryExample] }))
export type Delivery = typeof Delivery.Type
