import type { HistoryEvent } from "../../domain/webhooks/event.ts"
import type { EventDetails } from "../../domain/webhooks/eventDetails.ts"
import { query } from "./query.ts"

export interface HistoryEntry {
  readonly id: string
  readonly event: typeof HistoryEvent.Encoded
  /** What else is known of it. */
  readonly details: typeof EventDetails.Encoded | null
  /** Who did it; null for what the service did by itself. */
  readonly by: { readonly name: string } | null
}

interface HistoryPage {
  readonly data: ReadonlyArray<HistoryEntry>
  readonly next_cursor: string | null
}

/** What happened to a post, newest first. */
export const postHistory = (id: string) => query<HistoryPage>(`/v1/posts/${encodeURIComponent(id)}/history?limit=50`)
