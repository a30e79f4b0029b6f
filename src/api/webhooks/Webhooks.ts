import { Duration, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookEventType } from "../../domain/webhooks/event.ts"
import { EventId, WebhookId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { maxWebhookDescriptionLength, maxWebhooks } from "../../domain/plain/limits.ts"
import { eventId, webhookId } from "../../domain/samples.ts"
import { Line } from "../../domain/name.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import {
  defaultSecretOverlap,
  Delivery,
  deliveryExample,
  DeliveryStatus,
  maxSecretOverlap,
  Webhook,
  webhookExample
} from "../../domain/webhooks/webhook.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { dataOf, deleted, listOf, pageOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { operation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { cursorParameter, HistoryCursor, limitParameter } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

export const defaultDeliveryLimit = 50

const scope = "webhooks:manage"

const params = {
  id: WebhookId.annotateKey({ description: "The webhook's id.", examples: [WebhookId.make(webhookId)] })
}

const url = Text.check(Schema.isNonEmpty(), Schema.isMaxLength(2048))
const urlText =
  "Where events are sent: an https URL on the internet, without user name, password or port. Responses show it shortened."
const wholeUrl = "https://hooks.example/social"
const description = Line.check(Schema.isMaxLength(maxWebhookDescriptionLength))
const descriptionText = `A description for people: up to ${maxWebhookDescriptionLength} characters.`
const events = Schema.Array(WebhookEventType).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(WebhookEventType.literals.length)
)
const eventsText = "The types of events to send, at least one. Null, the default, is all of them, later types included."

const CreateWebhook = Schema.Struct({
  url: url.annotateKey({ description: urlText }),
  events: optional(events, eventsText),
  description: optional(description, descriptionText)
})
  .annotate({ identifier: "CreateWebhook", description: "A webhook to create. Unknown members are rejected." })
  .pipe(
    examples({
      all: { url: wholeUrl },
      some: {
        url: wholeUrl,
        events: ["post.published", "post.failed"],
        description: webhookExample.description
      }
    })
  )

const UpdateWebhook = Schema.Struct({
  url: optional(url, `${urlText} The shortened form that responses show leaves it as it is.`),
  events: Schema.optionalKey(Schema.NullOr(events)).annotateKey({ description: eventsText }),
  description: Schema.optionalKey(Schema.NullOr(description)).annotateKey({
    description: `${descriptionText} Null removes it.`
  }),
  enabled: optional(
    Schema.Boolean,
    "Whether events are sent. Enabling clears earlier failures; waiting deliveries continue."
  )
})
  .annotate({
    identifier: "UpdateWebhook",
    description: "The members of a webhook to change; omitted ones stay as they are. Unknown members are rejected."
  })
  .pipe(examples({ enable: { enabled: true }, filter: { events: ["post.failed"] } }))

const RotateSecret = Schema.Struct({
  overlap: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Duration.toSeconds(maxSecretOverlap) })).annotate({
      format: "int32"
    }),
    `The number of seconds for which the former secret also signs; ${Duration.toSeconds(defaultSecretOverlap)} by default.`
  )
})
  .annotate({ identifier: "RotateSecret", description: "How to replace the secret. Unknown members are rejected." })
  .pipe(examples({ day: { overlap: 86_400 }, now: { overlap: 0 } }))

const Replay = Schema.Struct({
  since: describedInstant("The time of the earliest event to send.")
})
  .annotate({ identifier: "ReplayEvents", description: "Which events to send. Unknown members are rejected." })
  .pipe(examples({ since: { since: "2030-01-30T00:00:00Z" } }))

const secret = Schema.RedactedFromValue(
  Schema.String.annotate({ description: "The secret that signs, `whsec_` and base64. It can't be shown again." })
)

const secretExample = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

export const WithSecret = Schema.Struct({ data: Webhook, secret })
  .annotate({ identifier: "WebhookWithSecret", description: "The webhook, and its new secret." })
  .pipe(examples({ created: { data: webhookExample, secret: secretExample } }))

export const OneWebhook = Schema.Struct({ data: Webhook })
  .annotate({ identifier: "OneWebhook", description: "The webhook." })
  .pipe(examples({ webhook: { data: webhookExample } }))

export const WebhookList = listOf(Webhook, "The webhooks.")
  .annotate({ identifier: "WebhookList", description: "The workspace's webhooks, newest first." })
  .pipe(examples({ list: { data: [webhookExample] } }))

const DeletedWebhook = dataOf("The change.", {
  id: WebhookId.annotateKey({ description: "The webhook's id." }),
  deleted
})
  .annotate({ identifier: "DeletedWebhook", description: "The webhook is deleted." })
  .pipe(examples({ deleted: { data: { id: webhookId, deleted: true } } }))

export const OneDelivery = Schema.Struct({ data: Delivery })
  .annotate({ identifier: "OneDelivery", description: "The delivery, which is queued." })
  .pipe(examples({ delivery: { data: deliveryExample } }))

export const DeliveryPage = pageOf(Delivery, "The deliveries.", HistoryCursor)
  .annotate({ identifier: "DeliveryPage", description: "A page of a webhook's deliveries, newest event first." })
  .pipe(examples({ page: { data: [deliveryExample], next_cursor: null } }))

const ReplayedEvents = dataOf("The change.", {
  queued: Schema.Int.annotateKey({ description: "The number of events that were queued." }),
  more: Schema.Boolean.annotateKey({ description: "Whether there are more; if so, repeat the request." })
})
  .annotate({ identifier: "ReplayedEvents", description: "Events were queued." })
  .pipe(examples({ replayed: { data: { queued: 12, more: false } } }))

const create = HttpApiEndpoint.post("create", "/", {
  payload: CreateWebhook,
  success: HttpApiSchema.WithHeaders(WithSecret.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: shown.WebhookLimit
})
  .annotateMerge(
    operation({
      id: "createWebhook",
      scope,
      summary: "Create a webhook",
      description:
        `Creates a webhook and shows its secret, once. A workspace may have ${maxWebhooks}. Events are sent as Standard Webhooks 1.0.0: verify ` +
        "`webhook-signature` with the secret, and drop a `webhook-id` that you have received before, as an event may arrive more than once " +
        "and in any order. Respond with a 2xx within 15 seconds. Anything else is retried nine times within three days; 410 disables the webhook, and so " +
        "do five days without a success."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const list = HttpApiEndpoint.get("list", "/", { success: WebhookList })
  .annotateMerge(
    operation({
      id: "listWebhooks",
      scope,
      summary: "List webhooks",
      description: "Lists the workspace's webhooks, newest first."
    })
  )
  .middleware(CheckedInput)

const get = HttpApiEndpoint.get("get", "/:id", { params, success: OneWebhook, error: shown.NotFound })
  .annotateMerge(
    operation({
      id: "getWebhook",
      scope,
      summary: "Get a webhook",
      description: "Returns a webhook, without its secret."
    })
  )
  .middleware(CheckedInput)

const update = HttpApiEndpoint.patch("update", "/:id", {
  params,
  payload: UpdateWebhook,
  success: OneWebhook,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "updateWebhook",
      scope,
      summary: "Update a webhook",
      description:
        "Changes the given members. While a webhook is disabled no deliveries are queued for it; replay what it missed. A new URL also gets " +
        "the waiting deliveries."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const remove = HttpApiEndpoint.delete("delete", "/:id", { params, success: DeletedWebhook, error: shown.NotFound })
  .annotateMerge(
    operation({
      id: "deleteWebhook",
      scope,
      summary: "Delete a webhook",
      description: "Deletes a webhook and its deliveries. Requests that are being sent are not taken back."
    })
  )
  .middleware(CheckedInput)

const rotateSecret = HttpApiEndpoint.post("rotateSecret", "/:id/rotate-secret", {
  params,
  payload: RotateSecret,
  success: WithSecret,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "rotateWebhookSecret",
      scope,
      summary: "Rotate a webhook's secret",
      description:
        "Replaces the secret and shows the new one, once. Both sign until the overlap ends, so that either verifies. Rotating again before then " +
        "ends the oldest one."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const test = HttpApiEndpoint.post("test", "/:id/test", {
  params,
  success: OneDelivery.pipe(HttpApiSchema.status(202)),
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    operation({
      id: "testWebhook",
      scope,
      summary: "Test a webhook",
      description: "Sends a `webhook.test` to this webhook, whatever its filter. Its deliveries show the result."
    })
  )
  .middleware(CheckedInput)

const deliveries = HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
  params,
  query: {
    status: Schema.optionalKey(DeliveryStatus).annotateKey({ description: "Only deliveries with this status." }),
    limit: limitParameter("deliveries", 200, defaultDeliveryLimit),
    cursor: cursorParameter(HistoryCursor)
  },
  success: DeliveryPage,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "listDeliveries",
      scope,
      summary: "List deliveries",
      description:
        "Lists a webhook's deliveries of the last 30 days, newest event first, with the log of their latest attempts."
    })
  )
  .middleware(CheckedInput)

const resend = HttpApiEndpoint.post("resend", "/:id/deliveries/:event_id/resend", {
  params: {
    ...params,
    event_id: EventId.annotateKey({ description: "The delivery's id.", examples: [EventId.make(eventId)] })
  },
  success: OneDelivery.pipe(HttpApiSchema.status(202)),
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    operation({
      id: "resendDelivery",
      scope,
      summary: "Send a delivery again",
      description:
        "Queues a delivery again under its id, whatever its status, with all of its attempts. A delivery that is being sent stays as it is."
    })
  )
  .middleware(CheckedInput)

const replay = HttpApiEndpoint.post("replay", "/:id/replay", {
  params,
  payload: Replay,
  success: ReplayedEvents.pipe(HttpApiSchema.status(202)),
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    operation({
      id: "replayEvents",
      scope,
      summary: "Send missed events",
      description:
        "Queues the events since a time that match the webhook's filter and were neither delivered to it nor wait for it: those that " +
        "failed, and those from when it was disabled or did not exist. Up to 10,000 in one request, the oldest first."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(create, list, get, update, remove, rotateSecret, test, deliveries, resend, replay)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/webhooks")
  .annotateMerge(
    OpenApi.annotations({ title: "Webhooks", description: "URLs that the workspace's events are sent to." })
  ) {}
