import { Effect } from "effect"

/** Wraps an answer as the API's answers are wrapped. */
export const asData = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly data: A }, E, R> =>
  Effect.map(effect, (data) => ({ data }))
