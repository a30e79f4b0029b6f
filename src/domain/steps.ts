import { Clock, Effect } from "effect"

/** Other work of the process gets its turn after this many milliseconds. */
export const maxStepMillis = 5

/** Runs a long computation in steps, and yields or rests between them, so that it holds up nobody else. */
export const runSteps = Effect.fnUntraced(function* <A>(
  steps: Iterator<void, A>,
  rest: Effect.Effect<void> = Effect.yieldNow
) {
  const clock = yield* Clock.Clock
  let began = clock.monotonicTimeNanosUnsafe()
  while (true) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (clock.monotonicTimeNanosUnsafe() - began < maxStepMillis * 1e6) continue
    yield* rest
    began = clock.monotonicTimeNanosUnsafe()
  }
})
