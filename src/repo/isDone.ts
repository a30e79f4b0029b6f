import { type Effect, Exit } from "effect"

/** A finished effect needs no fiber. */
export const isDone = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
