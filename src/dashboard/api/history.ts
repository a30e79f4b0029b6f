import type { HistoryEvent } from "../../domain/webhooks/event.ts"
import type { EventDetails } from "../../domain/webhooks/eventDetails.ts"
import { query } from "./query.ts"

export interface HistoryEntry {
  readonly id: string
  readonly event: typeof HistoryEvent.Encoded
  readonly details: typeof EventDetails.Encoded | null
  /** Null if the service itself acted. */
  readonly by: { readonly name: string } | null
}

export interface HistoryPage {
  readonly data: ReadonlyArray<HistoryEntry>
  readonly next_cursor: string | null
}

/** Only the last entry: who changed a post. */
export const lastEntry = (id: string) => query<HistoryPage>(`/v1/posts/${encodeURIComponent(id)}/history?limit=1`)

/** Newest first. */
export const postHistory = (id: string) => query<HistoryPage>(`/v1/posts/${encodeURIComponent(id)}/history?limit=50`)
