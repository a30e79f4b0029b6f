import { Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { configuration } from "../config.ts"
import { WebhookEventType } from "../domain/webhooks/event.ts"
import { Line } from "../domain/name.ts"
import { maxWebhookDescriptionLength } from "../domain/plain/limits.ts"
import { EventId, WebhookId } from "../domain/ids.ts"
import { type Delivery, DeliveryStatus, type Webhook } from "../domain/webhooks/webhook.ts"
import { checkUrl } from "../outbound/policy.ts"
import { Repo } from "../repo/Repo.ts"
import { argumentOf, flagOf, json, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

const webhookId = argumentOf("id", WebhookId, "`webhook list` prints the ids").pipe(
  Argument.withDescription("ID of the webhook, from `webhook list`")
)

const webhookRecord = (webhook: Webhook) => {
  const { created_at, description, disabled_reason, enabled, events, failing_since, id, url } = webhook
  return { id, url, description, events, enabled, disabled_reason, failing_since, created_at }
}

const deliveryRecord = ({ attempts, created_at, id, log, next_attempt_at, status, type }: Delivery) => {
  const { error = null, status: last_status = null } = log.at(-1) ?? {}
  return { id, type, status, attempts, next_attempt_at, created_at, last_status, last_error: error }
}

const create = Command.make(
  "create",
  {
    workspace,
    url: Flag.String("url").pipe(Flag.withDescription("https URL that events are sent to")),
    events: Flag.Literals("event", WebhookEventType.literals).pipe(
      Flag.atLeast(0),
      Flag.withDescription("Repeat it for several types of events. All by default, including later ones")
    ),
    description: Flag.optional(
      flagOf("description", Line.check(Schema.isMaxLength(maxWebhookDescriptionLength))).pipe(
        Flag.withDescription("Description, for people")
      )
    ),
    json
  },
  Effect.fn(function* (input) {
    const { reachesLoopback: loopback } = yield* configuration
    yield* Effect.fromResult(checkUrl({ http: false, anyPort: false, loopback }, input.url))
    const { webhooks } = yield* Repo
    const { secret, webhook } = yield* webhooks.create(input.workspace, {
      url: input.url,
      description: Option.getOrNull(input.description),
      events: input.events.length === 0 ? null : input.events
    })
    yield* printRecord(input.json, { secret: Redacted.value(secret), ...webhookRecord(webhook) })
  })
).pipe(Command.withDescription("Create a webhook and print its secret. It can't be shown again"))

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { webhooks, workspaces } = yield* Repo
    yield* workspaces.check(input.workspace)
    const all = yield* webhooks.list(input.workspace)
    yield* printTable(input.json, all.map(webhookRecord), "There are no webhooks yet")
  })
).pipe(Command.withDescription("List a workspace's webhooks, newest first"))

const test = Command.make(
  "test",
  { workspace, id: webhookId, json },
  Effect.fn(function* (input) {
    const { webhooks } = yield* Repo
    yield* printRecord(input.json, deliveryRecord(yield* webhooks.test(input.workspace, input.id)))
  })
).pipe(Command.withDescription("Have the running service send a test event; `webhook deliveries` shows the result"))

const deliveries = Command.make(
  "deliveries",
  {
    workspace,
    id: webhookId,
    status: Flag.optional(
      Flag.Literals("status", DeliveryStatus.literals).pipe(Flag.withDescription("Only those with this status"))
    ),
    json
  },
  Effect.fn(function* (input) {
    const { webhooks } = yield* Repo
    const latest = yield* webhooks.deliveries(input.workspace, input.id, {
      limit: 100,
      status: Option.getOrNull(input.status),
      before: null
    })
    yield* printTable(input.json, latest.map(deliveryRecord), "There are no deliveries yet")
  })
).pipe(Command.withDescription("List a webhook's latest 100 deliveries, newest event first"))

const resend = Command.make(
  "resend",
  {
    workspace,
    id: webhookId,
    delivery: argumentOf("delivery", EventId, "`webhook deliveries` prints the ids").pipe(
      Argument.withDescription("ID of the delivery, from `webhook deliveries` or the header webhook-id")
    ),
    json
  },
  Effect.fn(function* (input) {
    const { webhooks } = yield* Repo
    yield* printRecord(input.json, deliveryRecord(yield* webhooks.resend(input.workspace, input.id, input.delivery)))
  })
).pipe(Command.withDescription("Have the running service send a delivery again, whatever its status"))

const disable = Command.make(
  "disable",
  { workspace, id: webhookId, json },
  Effect.fn(function* (input) {
    const { webhooks } = yield* Repo
    yield* printRecord(input.json, webhookRecord(yield* webhooks.update(input.workspace, input.id, { enabled: false })))
  })
).pipe(Command.withDescription("Send nothing more to a webhook until it is enabled through the API"))

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhooks: URLs that a workspace's events are sent to"),
  Command.withSubcommands([create, list, test, deliveries, resend, disable])
)
