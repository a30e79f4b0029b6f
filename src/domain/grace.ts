import { Cause, type Duration, Effect, Exit, Fiber, Option } from "effect"

/** Waits for a fiber up to a limit, and then no longer, even if it can't be interrupted. */
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
 * Protects an effect from interruption until it has gone on for `grace` after it, within an uninterruptible region as well. What ends
 * in that time ends as if it had not been interrupted, so that nothing is lost that was about to be known; what hangs does not keep a
 * process from stopping, and is not waited for.
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
 * Waits for what goes on without this fiber, until it has ended or `grace` is over after an interruption. `wait` is run again then. Must
 * run in an uninterruptible region.
 */
export const awaitWithGrace = <A, E>(wait: Effect.Effect<A, E>, grace: Duration.Input): Effect.Effect<A, E> =>
  Effect.catchCauseIf(Effect.interruptible(wait), Cause.hasInterrupts, () =>
    Effect.timeoutOrElse(Effect.interruptible(wait), { duration: grace, orElse: () => Effect.interrupt })
  )

/** Waits for an effect up to a limit, for one that must not keep a process from stopping. It is interrupted then, and not waited for. */
export const withLimit =
  (limit: Duration.Input) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
    Effect.flatMap(begin(effect), (fiber) =>
      Effect.flatMap(awaitFor(fiber, limit), (exit) => (Exit.hasInterrupts(exit) ? Effect.void : Effect.asVoid(exit)))
    ).pipe(Effect.uninterruptible)
