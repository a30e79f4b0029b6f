import { Cause, Duration, Effect, Exit, Fiber, Option } from "effect"

/** Waits for a fiber up to a limit, even if the fiber can't be interrupted. */
const awaitFor = <A, E>(fiber: Fiber.Fiber<A, E>, limit: Duration.Input): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.map(
    Effect.timeoutOption(Fiber.await(fiber), limit),
    Option.getOrElse(() => {
      fiber.interruptUnsafe()
      return Exit.interrupt()
    })
  )

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkDetach(Effect.interruptible(effect), { startImmediately: true })

/**
 * After an interruption, the effect has `grace` to finish, even in an uninterruptible region. If it finishes in time,
 * its result is kept as if nothing was interrupted. If it hangs, the process can stop without it.
 */
export const withGrace =
  (grace: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const fiber = yield* begin(effect)
      const exit = yield* Effect.catchCause(Effect.interruptible(Fiber.await(fiber)), () => awaitFor(fiber, grace))
      return yield* exit
    }).pipe(Effect.uninterruptible)

/**
 * After an interruption, a running claim has this long to end. Without its result, its work would wait for the end of
 * the lease. Call it in an uninterruptible region, so that the claim's work is begun or given back.
 */
export const withClaimGrace = withGrace(Duration.seconds(1))

/**
 * Waits for work outside this fiber. After an interruption, runs `wait` again for `grace` at most. Call it in an
 * uninterruptible region.
 */
export const awaitWithGrace = <A, E>(wait: Effect.Effect<A, E>, grace: Duration.Input): Effect.Effect<A, E> =>
  Effect.catchCauseIf(Effect.interruptible(wait), Cause.hasInterrupts, () =>
    Effect.timeoutOrElse(Effect.interruptible(wait), { duration: grace, orElse: () => Effect.interrupt })
  )

/** Interrupts an effect after the limit, without waiting for its end, so that a process can stop. */
export const withLimit =
  (limit: Duration.Input) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
    Effect.flatMap(begin(effect), (fiber) =>
      Effect.flatMap(awaitFor(fiber, limit), (exit) => (Exit.hasInterrupts(exit) ? Effect.void : Effect.asVoid(exit)))
    ).pipe(Effect.uninterruptible)
