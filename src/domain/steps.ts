import { Clock, Effect } from "effect"

/** Other work of the process gets its turn after this many milliseconds. */
const maxStepMillis = 5

/**
 * Runs a long computation in steps, and yields or rests between them, so that it holds up nobody else. `rest` gets the
 * milliseconds since the last rest.
 */
export const runSteps = Effect.fnUntraced(function* <A>(
  steps: Iterator<void, A>,
  rest: (ran: number) => Effect.Effect<void> = () => Effect.yieldNow
) {
  const clock = yield* Clock.Clock
  let began = clock.monotonicTimeNanosUnsafe()
  while (true) {
    const step = steps.next()
    if (step.done === true) return step.value
    const ran = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
    if (ran < maxStepMillis) continue
    yield* rest(ran)
    began = clock.monotonicTimeNanosUnsafe()
  }
})
