import { type DateTime, type Effect, Schema } from "effect"
import type { Author } from "../../domain/people/actor.ts"
import type { DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { Event, HistoryEvent, type NewEvent, type WebhookEventType } from "../../domain/webhooks/event.ts"
import { type EventDetails, StoredEventDetails } from "../../domain/webhooks/eventDetails.ts"
import { type ApiKeyId, EventId, type PostId, type WorkspaceId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { NamedAuthor } from "../../domain/people/namedAuthor.ts"
import type { NewNotification } from "../notifications/notifications.ts"
import { NoDetails, UnreadableType } from "../spoiled.ts"

/** An event whose data can't be read, which is listed without them. */
const UnreadableEvent = Schema.Struct({ type: UnreadableType, timestamp: Instant, data: NoDetails })

/** An event that webhooks are sent, at its place in the order in which events are read. */
export const ListedEvent = Schema.Struct({
  id: EventId,
  position: Schema.Int,
  event: Schema.Union([Event, UnreadableEvent])
})
export type ListedEvent = typeof ListedEvent.Type

/** `by`: who did it, null where nobody did or nobody knows any more. */
export const ListedHistoryEvent = Schema.Struct({
  id: EventId,
  event: Schema.Union([HistoryEvent, UnreadableEvent]),
  details: StoredEventDetails,
  by: Schema.NullOr(NamedAuthor)
})
export type ListedHistoryEvent = typeof ListedHistoryEvent.Type

export interface EventQuery {
  readonly limit: number
  readonly postId: PostId | null
  readonly type: WebhookEventType | null
  /** The API key that did it. */
  readonly byKey: ApiKeyId | null
  /** The position after which events are listed. */
  readonly after: number | null
  /** Keyset pagination: only events of an earlier position, or before this event at its position. */
  readonly before: { readonly position: number; readonly id: EventId | null } | null
}

/** An event to record. */
export interface RecordedEvent {
  readonly workspaceId: WorkspaceId
  readonly event: NewEvent
  /** Who did it, which the history of the post shows. */
  readonly by?: Author
  /** What the history of the post tells of it beside. */
  readonly details?: EventDetails
}

/** What happened, and what people are notified of it. */
export interface NewRecords {
  readonly events: ReadonlyArray<RecordedEvent>
  readonly notifications: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly notification: NewNotification }>
}

export interface Dispatched {
  /** Events that got their position, which those of workspaces that nobody follows have already. */
  readonly events: number
  /** Deliveries that were queued for them. */
  readonly deliveries: number
}

export interface Events {
  /**
   * Stores events with the notifications that follow from them, in one statement. To be called in the transaction that changes
   * the state; joins the surrounding one.
   */
  readonly record: (records: NewRecords) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Gives up to `limit` events their positions and queues their deliveries. One process at a time does so: the others find
   * nothing to dispatch. An event is dispatched once, whatever dies.
   */
  readonly dispatch: (limit: number) => Effect.Effect<Dispatched, DatabaseUnavailable>
  /**
   * Newest first. No event appears later at or before a position that was read: from the first call on, the events of the
   * workspace get their positions from `dispatch`.
   */
  readonly list: (
    workspaceId: WorkspaceId,
    query: EventQuery
  ) => Effect.Effect<ReadonlyArray<ListedEvent>, DatabaseUnavailable>
  /** What happened to a post, newest first, also after it was deleted. */
  readonly history: (
    workspaceId: WorkspaceId,
    postId: PostId,
    query: { readonly limit: number; readonly before: EventId | null }
  ) => Effect.Effect<ReadonlyArray<ListedHistoryEvent>, NotFound | DatabaseUnavailable>
  /** Deletes at most `limit` events from before a time, in any workspace, and returns how many those were. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
