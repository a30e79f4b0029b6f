import { Clock, Effect, Semaphore } from "effect"
import type { Entry } from "./entry.ts"
import type { Journal } from "./journal.ts"
import { makeState, type State } from "./state.ts"

export interface Decision<A> {
  readonly entries: ReadonlyArray<Entry>
  readonly result: A
}

export const makeStore = Effect.fnUntraced(function* (journal: Journal) {
  const state = makeState()
  for (const entry of journal.entries) state.apply(entry)
  const mutex = yield* Semaphore.make(1)
  /** Transactions run one at a time and can't be interrupted. Entries reach the journal before the state. */
  const transact = <A>(decide: (state: State, now: number) => Decision<A>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.suspend(() => {
        const { entries, result } = decide(state, now)
        return Effect.map(journal.append(entries), () => {
          for (const entry of entries) state.apply(entry)
          return result
        })
      })
    ).pipe(mutex.withPermits(1), Effect.uninterruptible)
  const read = <A>(query: (state: State, now: number) => A) =>
    Effect.map(Clock.currentTimeMillis, (now) => query(state, now))
  return { read, transact }
})

export type Store = Effect.Success<ReturnType<typeof makeStore>>
