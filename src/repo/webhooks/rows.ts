import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/errors.ts"
import { authorJson } from "../postgres/author.ts"

export const unknownWebhook = new NotFound({ message: "There is no such webhook in this workspace" })

/** The columns of a `Webhook`, from `webhooks`. */
export const webhookColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`id, url, description, events, disabled_reason IS NULL AS enabled, disabled_reason,
    to_jsonb(failing_since) AS failing_since, to_jsonb(created_at) AS created_at,
    ${authorJson("webhooks.created_by_key", "webhooks.created_by_user", "webhooks.workspace_id")} AS created_by`)

/** The columns of a `Delivery`, from `webhook_deliveries` under the alias `d` and `events` under `e`. */
export const deliveryColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`d.event_id AS id, e.type, d.status, d.attempts, to_jsonb(d.next_at) AS next_attempt_at,
    to_jsonb(d.queued_at) AS created_at, d.log`)

/** The row and columns that a webhook's secrets are authenticated with. */
export const secretCell = (id: string) => `webhooks/${id}/secret`
