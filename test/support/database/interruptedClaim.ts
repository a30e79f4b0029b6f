import { Deferred, Effect, Fiber } from "effect"

/** Interrupts a fiber between a claim and its result. */
export const makeInterruptedClaim = Effect.gen(function* () {
  const claimed = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  return {
    /** Returns the claim's result only after the interruption. */
    holdResult: <A, E, R>(claim: Effect.Effect<A, E, R>) =>
      claim.pipe(
        Effect.tap(() => Deferred.succeed(claimed, undefined)),
        Effect.tap(() => Deferred.await(interrupted))
      ),
    /** Interrupts the fiber that runs the claim, and waits for its end. */
    interrupt: Effect.fnUntraced(function* (fiber: Fiber.Fiber<unknown, unknown>) {
      yield* Deferred.await(claimed)
      fiber.interruptUnsafe()
      yield* Deferred.succeed(interrupted, undefined)
      yield* Fiber.await(fiber)
    })
  }
})
