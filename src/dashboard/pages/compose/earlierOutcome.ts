import type { HistoryEvent } from "../../../domain/webhooks/event.ts"

interface Entry {
  readonly event: Pick<typeof HistoryEvent.Encoded, "data" | "type">
  /** The person or key; null for the service. */
  readonly by: unknown
}

const isEndOfDoubt = ({ by, event }: Entry): boolean =>
  event.type === "post.target.published" || (by !== null && event.type === "post.target.failed")

/**
 * True if an attempt has an unknown outcome, so that the text must not change. The post's status does not show this. A
 * later attempt that sent nothing does not resolve it; only a found post or a person's decision does. The history is
 * newest first, and may lack its oldest entries.
 */
export const mayBeOutAlready = (history: ReadonlyArray<Entry>): boolean => {
  const known = new Set<unknown>()
  for (const entry of history) {
    const data = new Map<string, unknown>(Object.entries(entry.event.data))
    const platform = data.get("platform")
    if (isEndOfDoubt(entry)) known.add(platform)
    else if (data.get("error_code") === "outcome_unknown" && !known.has(platform)) return true
  }
  return false
}
