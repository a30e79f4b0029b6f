import type { SlotList } from "../../api/posts/Queue.ts"
import { withQuery } from "./client.ts"
import { query } from "./query.ts"

/** At most 62 days. */
export const slotsIn = (from: Date, to: Date) =>
  query<typeof SlotList.Encoded>(withQuery("/v1/queue/slots", { from: from.toISOString(), to: to.toISOString() }))
