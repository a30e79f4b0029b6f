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
 * Protects an effect from interruption for `grace`, even in an uninterruptible region. If it ends in that time, it ends
 * as if not interrupted, so that a result about to be known is not lost. If it hangs, a process can stop without it.
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
 * Waits for work outside this fiber. After an interruption, runs `wait` again for `grace` at most. Run it
 * uninterruptibly.
 */
export const awaitWithGrace = <A, E>(wait: Effect.Effect<A, E>, grace: Duration.Input): Effect.Effect<A, E> =>
  Effect.catchCauseIf(Effect.interruptible(wait), Cause.hasInterrupts, () =>
    Effect.timeoutOrElse(Effect.interruptible(wait), { duration: grace, orElse: () => Effect.interrupt })
  )

/** Interrupts an effect after the limit without waiting for it, so that a process can stop. */
export const withLimit =
  (limit: Duration.Input) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
    Effect.flatMap(begin(effect), (fiber) =>
      Effect.flatMap(awaitFor(fiber, limit), (exit) => (Exit.hasInterrupts(exit) ? Effect.void : Effect.asVoid(exit)))
    ).pipe(Effect.uninterruptible)
