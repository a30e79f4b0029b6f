import { Effect } from "effect"
import { performance } from "node:perf_hooks"

/** Runs an effect, and returns its duration in milliseconds and its result. */
export const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const began = performance.now()
  const result = yield* effect
  return [performance.now() - began, result] as const
})
