import { Effect } from "effect"
import type { Prng } from "../prng.ts"
import type { Replica, Store } from "./stores.ts"

/** An operation's result or failure in one store. */
type Result = Effect.Effect<unknown, { readonly _tag: string }>

/** One operation on both stores. It names only what every store has, so it also runs after others were left out. */
export interface Operation {
  readonly name: string
  readonly run: (store: Store, by: 0 | 1) => Result
}

export type Draw = (prng: Prng) => Operation

/** The member at this place, counted backward from the end. Wraps around within the latest members. */
export const recent = <A>(members: ReadonlyArray<A>, place: number, latest = 8): A | undefined =>
  members.at(-1 - (place % Math.max(1, Math.min(latest, members.length))))

export const none = Effect.succeed("there is none")

/** Usually one of the latest members. */
export const drawPlace = (prng: Prng): number => (prng.chance(0.5) ? 0 : prng.between(0, prng.chance(0.7) ? 2 : 7))

/** An operation on the process's Repo. */
export const operation = (name: string, run: (store: Store, replica: Replica, by: 0 | 1) => Result): Operation => ({
  name,
  run: (store, by) => run(store, store.replicas[by], by)
})
