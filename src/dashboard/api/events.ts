import type { EventPage } from "../../api/webhooks/Events.ts"
import { query } from "./query.ts"

export type EventJson = (typeof EventPage.Encoded)["data"][number]

/** Newest first. */
export const eventsByKey = (id: string) =>
  query<typeof EventPage.Encoded>(`/v1/events?by_key=${encodeURIComponent(id)}&limit=10`)
