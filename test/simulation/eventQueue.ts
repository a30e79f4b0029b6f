import type { Effect } from "effect"

/** The events that reach the service from outside: requests of users and scheduled faults, in order of time. */
export interface EventQueue {
  /** Adds an event. Events of one time happen in the order in which they were scheduled. */
  readonly schedule: (at: number, event: Effect.Effect<void>) => void
  /** The time of the next event; infinity where there is none. */
  readonly nextTime: () => number
  /** Removes and returns the events that are due. */
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
