import { Cause, type Duration, Effect, Exit, Fiber, Option } from "effect"

/** Waits up to a limit, even for a fiber that can't be interrupted. */
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
 * Protects an effect from interruption until `grace` has passed after it, even in an uninterruptible region. An effect
 * that ends in that time ends as if it had not been interrupted, so that a result about to be known is not lost. An
 * effect that hangs is not waited for, so a process can stop.
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
 * Waits for work outside this fiber, until it has ended or `grace` has passed after an interruption, for which `wait`
 * runs again. Run it in an uninterruptible region.
 */
export const awaitWithGrace = <A, E>(wait: Effect.Effect<A, E>, grace: Duration.Input): Effect.Effect<A, E> =>
  Effect.catchCauseIf(Effect.interruptible(wait), Cause.hasInterrupts, () =>
    Effect.timeoutOrElse(Effect.interruptible(wait), { duration: grace, orElse: () => Effect.interrupt })
  )

/** For an effect that must not delay a process's stop: after the limit it is interrupted and not waited for. */
export const withLimit =
  (limit: Duration.Input) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
    Effect.flatMap(begin(effect), (fiber) =>
      Effect.flatMap(awaitFor(fiber, limit), (exit) => (Exit.hasInterrupts(exit) ? Effect.void : Effect.asVoid(exit)))
    ).pipe(Effect.uninterruptible)
