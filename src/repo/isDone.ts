import { type Effect, Exit } from "effect"

/** Then it needs no fiber. */
export const isDone = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
