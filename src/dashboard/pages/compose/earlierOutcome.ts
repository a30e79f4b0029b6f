import type { HistoryEvent } from "../../../domain/webhooks/event.ts"

interface Entry {
  readonly event: Pick<typeof HistoryEvent.Encoded, "data" | "type">
  /** Who said it; null for what the service found. */
  readonly by: unknown
}

const isEndOfDoubt = ({ by, event }: Entry): boolean =>
  event.type === "post.target.published" || (by !== null && event.type === "post.target.failed")

/**
 * Whether a post may be out on one of its platforms as nobody knows what became of an attempt. A post that waits again does not
 * say so itself, and keeps its text all the same. A later attempt that certainly sent nothing says nothing of that one: only what
 * is found to be out ends the doubt, or a person who has looked. The history has the newest first, and may lack its oldest.
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
