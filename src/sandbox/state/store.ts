import { Clock, Effect, Semaphore } from "effect"
import type { SandboxEntry } from "./entry.ts"
import type { SandboxJournal } from "./journal.ts"
import { makeSandboxState, type SandboxState } from "./state.ts"

/** What is decided: what happens by it, and what it comes to for the caller. */
export interface Decision<A> {
  readonly happens: ReadonlyArray<SandboxEntry>
  readonly answer: A
}

/** The sandbox's memory. */
export interface SandboxStore {
  readonly read: <A>(look: (state: SandboxState, now: number) => A) => Effect.Effect<A>
  /** Decides on the state as it stands. What is decided is kept before anybody can see it, and can't be interrupted. */
  readonly transact: <A>(decide: (state: SandboxState, now: number) => Decision<A>) => Effect.Effect<A>
}

export const makeSandboxStore = Effect.fnUntraced(function* (journal: SandboxJournal) {
  const state = makeSandboxState()
  for (const entry of journal.entries) state.apply(entry)
  const oneAtATime = yield* Semaphore.make(1)
  const transact: SandboxStore["transact"] = (decide) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.suspend(() => {
        const { answer, happens } = decide(state, now)
        return Effect.map(journal.append(happens), () => {
          for (const entry of happens) state.apply(entry)
          return answer
        })
      })
    ).pipe(oneAtATime.withPermits(1), Effect.uninterruptible)
  const read: SandboxStore["read"] = (look) => Effect.map(Clock.currentTimeMillis, (now) => look(state, now))
  return { read, transact } satisfies SandboxStore
})
