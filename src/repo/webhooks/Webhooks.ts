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
  /** The whole URL, and not the shortened form that is shown. */
  readonly url: string
  readonly description: string | null
  /** Null for all. */
  readonly events: ReadonlyArray<WebhookEventType> | null
}

/** What is changed of a webhook; what is absent stays as it is. */
export interface WebhookPatch extends Partial<NewWebhook> {
  readonly enabled?: boolean
}

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** `whsec_` and base64. Not stored in this form, so it can't be shown again. */
  readonly secret: Redacted.Redacted
}

/** A delivery that only this process may attempt until its lease ends. */
export const DeliveryClaim = Schema.Struct({
  webhookId: WebhookId,
  eventId: EventId,
  workspaceId: WorkspaceId,
  /** The fencing token. */
  token: ClaimToken,
  /** Attempts so far, this one included. */
  attempts: Schema.Int,
  /** Encrypted; null where the version before wrote it. */
  sealedUrl: Schema.NullOr(Schema.Uint8Array),
  /** Empty where it is encrypted. */
  plainUrl: Schema.String,
  /** Tells the URL from a later one. */
  urlMark: Schema.String,
  /** Encrypted. */
  secret: Schema.Uint8Array,
  /** Encrypted; null without one that still signs. */
  formerSecret: Schema.NullOr(Schema.Uint8Array),
  type: Schema.String,
  /** The event's data as JSON. */
  data: Schema.String,
  createdAt: Timestamp,
  /** Whether the webhook shares the slots of those that fail or are slow. */
  strained: Schema.Boolean
})
export type DeliveryClaim = typeof DeliveryClaim.Type

export interface OpenedWebhook {
  readonly url: Redacted.Redacted
  /** The current secret, and the former one during the overlap. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

export interface DeliveryOutcome {
  readonly claim: DeliveryClaim
  readonly result: AttemptResult
  readonly endedAt: DateTime.Utc
  /** A random number in [0, 1) that spreads retries. */
  readonly jitter: number
}

/** A webhook that was disabled because of what its deliveries came to. */
export const DisabledWebhook = Schema.Struct({
  id: WebhookId,
  workspaceId: WorkspaceId,
  /** Masked, except where the version before wrote it. */
  url: Schema.String,
  reason: Schema.Literals(["gone", "failing"])
})
export type DisabledWebhook = typeof DisabledWebhook.Type

export interface SettledDeliveries {
  readonly disabled: ReadonlyArray<DisabledWebhook>
  /** Webhooks whose circuit opened or closed. */
  readonly opened: ReadonlyArray<WebhookId>
  readonly closed: ReadonlyArray<WebhookId>
}

/** Deliveries that are due and wait, of webhooks that are not held back. */
export const DeliveryBacklog = Schema.Struct({
  /** Webhooks with a delivery that is due. */
  webhooks: Schema.Int,
  /** When the one that has waited longest fell due; null where none is due. */
  oldest: NullableTimestamp,
  /** When the oldest event that waits for the dispatcher was stored; null where none waits. */
  undispatched: NullableTimestamp,
  /** Webhooks whose circuit is open. */
  openCircuits: Schema.Int
})
export type DeliveryBacklog = typeof DeliveryBacklog.Type

export interface DeliveryQuery {
  readonly limit: number
  readonly status: DeliveryStatus | null
  /** Keyset pagination: only deliveries of earlier events. */
  readonly before: EventId | null
}

export interface Webhooks {
  readonly create: (
    workspaceId: WorkspaceId,
    webhook: NewWebhook,
    /** By whose right; absent where nobody asks for it. */
    by?: Authority
  ) => Effect.Effect<WebhookWithSecret, InvalidRequest | WebhookLimit | NotFound | AuthorityError | DatabaseUnavailable>
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Webhook>, DatabaseUnavailable>
  readonly get: (workspaceId: WorkspaceId, id: WebhookId) => Effect.Effect<Webhook, NotFound | DatabaseUnavailable>
  /**
   * Enabling it, or another URL, forgets earlier failures. What waits for it while it is disabled goes on afterwards. Its own
   * masked URL changes nothing; that of another is refused.
   */
  readonly update: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    patch: WebhookPatch
  ) => Effect.Effect<Webhook, InvalidRequest | NotFound | DatabaseUnavailable>
  /** Nothing is sent after that, except for attempts that are in flight. */
  readonly remove: (workspaceId: WorkspaceId, id: WebhookId) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /** Replaces the secret. The former one signs beside it for `overlap`; one that was replaced before ends. */
  readonly rotateSecret: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    overlap: Duration.Duration
  ) => Effect.Effect<WebhookWithSecret, NotFound | DatabaseUnavailable>
  /** Queues a test event for this webhook alone. Fails with InvalidState where it is disabled. */
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
  /** Queues a delivery again, whatever came of it; one that is in flight stays as it is. */
  readonly resend: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    eventId: EventId
  ) => Effect.Effect<Delivery, InvalidState | NotFound | DatabaseUnavailable>
  /**
   * Queues up to `limit` events since a time that the webhook has missed: those that match its filter and were neither
   * delivered to it nor wait for it, the oldest ones first. Returns how many those were.
   */
  readonly replay: (
    workspaceId: WorkspaceId,
    id: WebhookId,
    since: DateTime.Utc,
    limit: number
  ) => Effect.Effect<number, InvalidState | NotFound | DatabaseUnavailable>
  /**
   * Claims up to `limit` deliveries that are due, or whose claim's lease has ended, of which up to `strained` to webhooks
   * that fail or are slow. At most four of a webhook are in flight over all processes, and one while its circuit is open;
   * where there are few slots, each webhook's first delivery comes before the second of any. None while publishing is held.
   */
  readonly claim: (
    slots: { readonly limit: number; readonly strained: number },
    lease: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<DeliveryClaim>, DatabaseUnavailable>
  /** Decrypts where a delivery goes, and what signs it. */
  readonly open: (claim: DeliveryClaim) => Effect.Effect<OpenedWebhook, CredentialsUnreadable>
  /**
   * Writes what attempts came to; an outcome whose claim was lost changes nothing of its delivery. Joins the surrounding
   * transaction, if there is one. Takes one statement where all have succeeded.
   */
  readonly settle: (outcomes: ReadonlyArray<DeliveryOutcome>) => Effect.Effect<SettledDeliveries, DatabaseUnavailable>
  /** Returns deliveries to the queue as if they had not been claimed. Their webhooks are held back until a time, if given. */
  readonly release: (
    claims: ReadonlyArray<DeliveryClaim>,
    heldUntil?: DateTime.Utc
  ) => Effect.Effect<void, DatabaseUnavailable>
  readonly backlog: Effect.Effect<DeliveryBacklog, DatabaseUnavailable>
  /** Encrypts with the current key what an older key encrypted, and URLs that the version before wrote. */
  readonly reencrypt: Effect.Effect<Reencrypted<WebhookId>, DatabaseUnavailable>
  /** Deletes at most `limit` deliveries that were queued before a time, or whose webhook was deleted; returns how many. */
  readonly removeDeliveriesBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
