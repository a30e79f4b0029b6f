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
  let entries: ReadonlyArray<{ readonly at: number; readonly event: Effect.Effect<void> }> = []
  return {
    add: (at, event) => {
      entries = [...entries, { at, event }].toSorted((left, right) => left.at - right.at)
    },
    next: () => entries[0]?.at ?? Number.POSITIVE_INFINITY,
    take: (now) => {
      const due = entries.filter(({ at }) => at <= now)
      entries = entries.slice(due.length)
      return due.map(({ event }) => event)
    }
  }
}
