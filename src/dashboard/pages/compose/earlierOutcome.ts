import type { HistoryEvent } from "../../../domain/webhooks/event.ts"

interface Entry {
  readonly event: Pick<typeof HistoryEvent.Encoded, "data" | "type">
  /** Who said it; null for what the service found. */
  readonly by: unknown
}

const outcomes: ReadonlySet<string> = new Set(["post.target.failed", "post.target.published"])

/**
 * Whether the last that is known of a post on one of its platforms is that it may be out. A post that waits again does not say so
 * itself, and keeps its text all the same. The history has the newest first.
 */
export const mayBeOutAlready = (history: ReadonlyArray<Entry>): boolean => {
  const ends = history
    .filter(({ event }) => outcomes.has(event.type))
    .map(({ by, event }) => ({ by, data: new Map<string, unknown>(Object.entries(event.data)) }))
  return ends.some(
    ({ by, data }, index) =>
      by === null &&
      data.get("error_code") === "outcome_unknown" &&
      ends.findIndex((end) => end.data.get("platform") === data.get("platform")) === index
  )
}
