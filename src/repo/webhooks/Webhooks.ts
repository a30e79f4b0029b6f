import { type DateTime, type Duration, type Effect, type Redacted, Schema } from "effect"
import type { AttemptResult } from "../../domain/webhooks/deliveryPolicy.ts"
import type {
  CredentialsUnreadable,
  DatabaseUnavailable,
  InvalidRequest,
  InvalidState,
  NotFound,
  WebhookLimit
} from "../../domain/errors.ts"
import type { WebhookEventType } from "../../domain/webhooks/event.ts"
import { ClaimToken, EventId, WebhookId, WorkspaceId } from "../../domain/ids.ts"
import type { Delivery, DeliveryStatus, Webhook } from "../../domain/webhooks/webhook.ts"
import type { Authority } from "../../domain/people/authority.ts"
import type { Reencrypted } from "../integrations/reencrypted.ts"
import type { AuthorityError } from "../people/authority.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

export interface NewWebhook {
  /** The whole URL, not the masked form. */
  readonly url: string
  readonly description: string | null
  /** Null means all types. */
  readonly events: ReadonlyArray<WebhookEventType> | null
}

export interface WebhookPatch extends Partial<NewWebhook> {
  readonly enabled?: boolean
}

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** `whsec_` and base64. Not stored in this form, so it can't be shown again. */
  readonly secret: Redacted.Redacted
}

export const DeliveryClaim = Schema.Struct({
  webhookId: WebhookId,
  eventId: EventId,
  workspaceId: WorkspaceId,
  token: ClaimToken,
  /** Includes this attempt. */
  attempts: Schema.Int,
  /** Encrypted; null if the previous version wrote it. */
  sealedUrl: Schema.NullOr(Schema.Uint8Array),
  /** Empty if the URL is encrypted. */
  plainUrl: Schema.String,
  urlMark: Schema.String,
  /** Encrypted. */
  secret: Schema.Uint8Array,
  /** Encrypted; null unless a former secret still signs. */
  formerSecret: Schema.NullOr(Schema.Uint8Array),
  type: Schema.String,
  data: Schema.Json,
  createdAt: Timestamp,
  /** True if the webhook fails or is slow, and shares the slots of such webhooks. */
  strained: Schema.Boolean
})
export type DeliveryClaim = typeof DeliveryClaim.Type

export interface OpenedWebhook {
  readonly url: Redacted.Redacted
  /** The former secret signs during the overlap. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

export interface DeliveryOutcome {
  readonly claim: DeliveryClaim
  readonly result: AttemptResult
  readonly endedAt: DateTime.Utc
  /** In [0, 1); spreads retries. */
  readonly jitter: number
}

export const DisabledWebhook = Schema.Struct({
  id: WebhookId,
  workspaceId: WorkspaceId,
  /** Masked, unless the previous version wrote it. */
  url: Schema.String,
  reason: Schema.Literals(["gone", "failing"])
})
export type DisabledWebhook = typeof DisabledWebhook.Type

export interface SettledDeliveries {
  readonly disabled: ReadonlyArray<DisabledWebhook>
  readonly opened: ReadonlyArray<WebhookId>
  readonly closed: ReadonlyArray<WebhookId>
}

/** Excludes webhooks that are held back. */
export const DeliveryBacklog = Schema.Struct({
  webhooks: Schema.Int,
  /** The longest-waiting delivery's due time. */
  oldest: NullableTimestamp,
  /** The oldest event that waits for the dispatcher. */
  undispatched: NullableTimestamp,
  openCircuits: Schema.Int
})
export type DeliveryBacklog = typeof DeliveryBacklog.Type

export interface DeliveryQuery {
  readonly limit: number
  readonly status: DeliveryStatus | null
  /** Only deliveries of earlier events. */
  readonly before: EventId | null
}

export interface Webhooks {
  readonly create: (
    workspaceId: WorkspaceId,
    webhook: NewWebhook,
    /** Absent if no right is needed. */
    by?: Authority
  ) => Effect.Effect<WebhookWithSecret, InvalidRequest | WebhookLimit | NotFound | AuthorityError | DatabaseUnavailable>
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Webhook>, DatabaseUnavailable>
  readonly get: (workspaceId: WorkspaceId, id: WebhookId) => Effect.Effect<Webhook, NotFound | DatabaseUnavailable>
  /**
   * Enabling the webhook, or another URL, clears earlier failures. Deliveries that wait while it is disabled then
   * continue. Its own masked URL changes nothing; any other is refused.
   */
  readonly update: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    patch: WebhookPatch
  ) => Effect.Effect<Webhook, InvalidRequest | NotFound | DatabaseUnavailable>
  /** Only attempts in flight continue. */
  readonly remove: (workspaceId: WorkspaceId, id: WebhookId) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /** The former secret also signs for `overlap`. An even earlier secret stops. */
  readonly rotateSecret: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    overlap: Duration.Duration
  ) => Effect.Effect<WebhookWithSecret, NotFound | DatabaseUnavailable>
  /** Sends to this webhook alone. Fails with InvalidState if it is disabled. */
  readonly test: (
    workspaceId: WorkspaceId,
    id: WebhookId
  ) => Effect.Effect<Delivery, InvalidState | NotFound | DatabaseUnavailable>
  /** Newest event first. */
  readonly deliveries: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    query: DeliveryQuery
  ) => Effect.Effect<ReadonlyArray<Delivery>, NotFound | DatabaseUnavailable>
  /** A delivery in flight stays as it is; any other is queued again. */
  readonly resend: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    eventId: EventId
  ) => Effect.Effect<Delivery, InvalidState | NotFound | DatabaseUnavailable>
  /**
   * Queues missed events since a time, the oldest first: events that match the filter, were not delivered and do not
   * wait. Returns their number.
   */
  readonly replay: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    since: DateTime.Utc,
    limit: number
  ) => Effect.Effect<number, InvalidState | NotFound | DatabaseUnavailable>
  /**
   * Claims deliveries that are due, or whose claim's lease has ended, at most `strained` of them for webhooks that fail
   * or are slow. At most four per webhook are in flight over all processes, and one while its circuit is open. If slots
   * are scarce, each webhook's first delivery comes before any second. None while publishing is held.
   */
  readonly claim: (
    slots: { readonly limit: number; readonly strained: number },
    lease: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<DeliveryClaim>, DatabaseUnavailable>
  readonly open: (claim: DeliveryClaim) => Effect.Effect<OpenedWebhook, CredentialsUnreadable>
  /**
   * A result whose claim is lost does not change its delivery. Joins a surrounding transaction. One statement if all
   * succeeded.
   */
  readonly settle: (outcomes: ReadonlyArray<DeliveryOutcome>) => Effect.Effect<SettledDeliveries, DatabaseUnavailable>
  /** Holds the deliveries' webhooks back until `heldUntil`. */
  readonly release: (
    claims: ReadonlyArray<DeliveryClaim>,
    heldUntil?: DateTime.Utc
  ) => Effect.Effect<void, DatabaseUnavailable>
  readonly backlog: Effect.Effect<DeliveryBacklog, DatabaseUnavailable>
  /** Also encrypts plain URLs from the previous version. */
  readonly reencrypt: Effect.Effect<Reencrypted<WebhookId>, DatabaseUnavailable>
  /** Also removes deliveries of deleted webhooks. Returns the number removed. */
  readonly removeDeliveriesBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
