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

const UnreadableEvent = Schema.Struct({ type: UnreadableType, timestamp: Instant, data: NoDetails })

export const ListedEvent = Schema.Struct({
  id: EventId,
  position: Schema.Int,
  event: Schema.Union([Event, UnreadableEvent])
})
export type ListedEvent = typeof ListedEvent.Type

/** `by` is null if the event has no known author. */
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
  readonly byKey: ApiKeyId | null
  readonly after: number | null
  /** Only events at a lower position, or at the same position with a smaller id. */
  readonly before: { readonly position: number; readonly id: EventId | null } | null
}

export interface RecordedEvent {
  readonly workspaceId: WorkspaceId
  readonly event: NewEvent
  readonly by?: Author
  readonly details?: EventDetails
}

export interface NewRecords {
  readonly events: ReadonlyArray<RecordedEvent>
  readonly notifications: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly notification: NewNotification }>
}

export interface Dispatched {
  /** Excludes events of workspaces without a follower, which have positions already. */
  readonly events: number
  readonly deliveries: number
}

export interface Events {
  /** Joins the transaction that changes the state. */
  readonly record: (records: NewRecords) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Assigns positions to up to `limit` events and queues their deliveries. If another process is dispatching, it does
   * nothing. An event is dispatched once, even after a crash.
   */
  readonly dispatch: (limit: number) => Effect.Effect<Dispatched, DatabaseUnavailable>
  /**
   * Newest first. From the first call on, `dispatch` assigns the positions, so no event appears later at or before a
   * position that was read.
   */
  readonly list: (
    workspaceId: WorkspaceId,
    query: EventQuery
  ) => Effect.Effect<ReadonlyArray<ListedEvent>, DatabaseUnavailable>
  /** Newest first, even for a deleted post. */
  readonly history: (
    workspaceId: WorkspaceId,
    postId: PostId,
    query: { readonly limit: number; readonly before: EventId | null }
  ) => Effect.Effect<ReadonlyArray<ListedHistoryEvent>, NotFound | DatabaseUnavailable>
  /** In all workspaces. Returns the number deleted. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
