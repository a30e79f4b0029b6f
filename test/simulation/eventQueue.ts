import type { Effect } from "effect"

/** External events, which are users' requests and scheduled faults, in order of time. */
export interface EventQueue {
  /** Events of the same time happen in the order of scheduling. */
  readonly schedule: (at: number, event: Effect.Effect<void>) => void
  /** Infinity without an event. */
  readonly nextTime: () => number
  readonly takeDue: (now: number) => ReadonlyArray<Effect.Effect<void>>
}

export const makeEventQueue = (): EventQueue => {
  const entries: Array<{ readonly at: number; readonly event: Effect.Effect<void> }> = []
  return {
    schedule: (at, event) => {
      entries.splice(entries.findLastIndex((entry) => entry.at <= at) + 1, 0, { at, event })
    },
    nextTime: () => entries[0]?.at ?? Number.POSITIVE_INFINITY,
    takeDue: (now) => {
      const later = entries.findIndex(({ at }) => at > now)
      return entries.splice(0, later === -1 ? entries.length : later).map(({ event }) => event)
    }
  }
}
