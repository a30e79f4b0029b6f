import type { Effect } from "effect"

/** What is going to happen to the service from outside, in order of time. */
export interface Agenda {
  readonly add: (at: number, event: Effect.Effect<void>) => void
  /** When the next event is; infinity where there is none. */
  readonly next: () => number
  /** Takes the events that are due. */
  readonly take: (now: number) => ReadonlyArray<Effect.Effect<void>>
}

export const makeAgenda = (): Agenda => {
  const entries: Array<{ readonly at: number; readonly event: Effect.Effect<void> }> = []
  return {
    add: (at, event) => {
      entries.splice(entries.findLastIndex((entry) => entry.at <= at) + 1, 0, { at, event })
    },
    next: () => entries[0]?.at ?? Number.POSITIVE_INFINITY,
    take: (now) => {
      const later = entries.findIndex(({ at }) => at > now)
      return entries.splice(0, later === -1 ? entries.length : later).map(({ event }) => event)
    }
  }
}
