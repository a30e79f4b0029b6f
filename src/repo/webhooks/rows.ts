import { isoTime } from "../postgres/rows.ts"
import { Schema, SchemaTransformation } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/errors.ts"
import { maskUrl } from "../../domain/webhooks/maskedUrl.ts"
import { WebhookEventType } from "../../domain/webhooks/event.ts"
import { Delivery, Webhook } from "../../domain/webhooks/webhook.ts"
import { authorJson } from "../postgres/author.ts"
import { orEmpty } from "../spoiled.ts"

export const unknownWebhook = new NotFound({ message: "There is no such webhook in this workspace" })

/** Masked, or whole if the previous version wrote it. */
export const shownUrl = "coalesce(masked_url, url)"

/**
 * Distinguishes a URL from a later one without revealing it. A re-encrypted URL counts as changed, so deliveries in
 * flight say nothing about its receiver.
 */
export const urlMark = "encode(sha256(coalesce(sealed_url, convert_to(url, 'UTF8'))), 'hex')"

const isKnown = Schema.is(WebhookEventType)

const StoredFilter = Schema.Array(Schema.Unknown).pipe(
  Schema.decodeTo(
    Schema.Array(WebhookEventType),
    SchemaTransformation.transform({
      decode: (stored: ReadonlyArray<unknown>): ReadonlyArray<WebhookEventType> => stored.filter(isKnown),
      encode: (events: ReadonlyArray<WebhookEventType>): ReadonlyArray<unknown> => events
    })
  )
)

export const WebhookRow = Schema.Struct({
  ...Webhook.fields,
  events: Schema.NullOr(StoredFilter),
  is_masked: Schema.Boolean
})

export const toWebhook = ({ is_masked, ...webhook }: typeof WebhookRow.Type): Webhook =>
  is_masked ? webhook : { ...webhook, url: maskUrl(webhook.url) }

export const webhookColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`id, ${shownUrl} AS url, masked_url IS NOT NULL AS is_masked, description, events, disabled_reason IS NULL AS enabled, disabled_reason,
    to_jsonb(failing_since) AS failing_since, to_jsonb(created_at) AS created_at,
    ${authorJson("webhooks.created_by_key", "webhooks.created_by_user", "webhooks.workspace_id")} AS created_by`)

export const DeliveryRow = Schema.Struct({ ...Delivery.fields, log: orEmpty(Delivery.fields.log, []) })

export const deliveryColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`d.event_id AS id, e.type, d.status, d.attempts, to_jsonb(d.next_at) AS next_attempt_at,
    to_jsonb(d.queued_at) AS created_at, d.log,
    jsonb_build_object('type', e.type, 'timestamp', ${isoTime("e.created_at")}, 'data', e.data) AS payload`)

export const secretCell = (id: string) => `webhooks/${id}/secret`

export const urlCell = (id: string) => `webhooks/${id}/sealed_url`
