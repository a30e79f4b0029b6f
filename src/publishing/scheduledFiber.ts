import { Cause, DateTime, Duration, Effect, FiberHandle, Layer, Option, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { pollInterval } from "../domain/pollInterval.ts"
import { Repo } from "../repo/Repo.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { Publisher } from "./Publisher.ts"
import { ahead } from "./timing.ts"
import { Uploader } from "./Uploader.ts"

/**
 * The pause before a tick for targets that are due but unclaimed. A request may have locked their post, and sends no
 * notification if it is refused.
 */
const repeatInterval = Duration.seconds(1)

const afterOutage = Duration.seconds(1)

/**
 * Publishes due posts. It ticks at every poll interval, when woken (see "From due to sent" in README.md), and when this
 * process gains the right to claim or to take over.
 */
export const scheduledFiber = Layer.effectDiscard(
  Effect.gen(function* () {
    const publisher = yield* Publisher
    const processLease = yield* ProcessLease
    const uploader = yield* Uploader
    const { targets } = yield* Repo
    const alarm = yield* FiberHandle.make<void>()
    const wakeIn = (delay: Duration.Duration) => FiberHandle.run(alarm, Effect.delay(publisher.wake, delay))

    /** Sets the alarm for targets that a tick at `since` did not claim. True if the tick left due work. */
    const lookAhead = Effect.fnUntraced(function* (since: DateTime.Utc) {
      const { at, isAnyLeft } = yield* targets.nextDue(since, ahead)
      const now = yield* DateTime.now
      const untilNext = Option.match(at, {
        onNone: () => pollInterval,
        onSome: (due) => (DateTime.isGreaterThan(due, now) ? DateTime.distance(now, due) : Duration.zero)
      })
      const delay = isAnyLeft ? Duration.min(untilNext, repeatInterval) : untilNext
      if (Duration.isLessThan(delay, pollInterval)) yield* wakeIn(delay)
      return isAnyLeft
    })

    const repeatAfterOutage = <A>(tick: Effect.Effect<A, DatabaseUnavailable>) =>
      tick.pipe(
        Effect.catchTag("DatabaseUnavailable", (error) =>
          Effect.andThen(
            Effect.logWarning("The tick failed because the database is unavailable", Cause.fail(error)),
            wakeIn(afterOutage)
          )
        ),
        Effect.catchDefect((defect) => Effect.logError("A tick failed unexpectedly", Cause.die(defect)))
      )

    const round = repeatAfterOutage(
      Effect.flatMap(DateTime.now, (since) => publisher.tickAndLookAhead(lookAhead(since)))
    )

    // If nothing was claimed, the account may be busy in another process, which does not know of this order.
    const order = repeatAfterOutage(
      Effect.tap(publisher.tick, (claimed) => (claimed === 0 ? publisher.wake : Effect.void))
    )

    const uploads = uploader.tick.pipe(
      // One account's uploads may have hidden other accounts' uploads from the claim.
      Effect.tap((begun) => (begun > 0 ? uploader.wake : Effect.void)),
      Effect.catchTag("DatabaseUnavailable", (error) =>
        Effect.andThen(
          Effect.logWarning("Uploads were not begun because the database is unavailable", Cause.fail(error)),
          Effect.delay(uploader.wake, afterOutage)
        )
      ),
      Effect.catchDefect((defect) => Effect.logError("Beginning uploads failed unexpectedly", Cause.die(defect)))
    )

    const wakeBoth = Effect.andThen(publisher.wake, uploader.wake)

    const listening = targets.listen(wakeBoth).pipe(
      Effect.tapDefect((defect) => Effect.logError("Listening for wake-ups failed unexpectedly", Cause.die(defect))),
      Effect.sandbox
    )

    // Forked first, so that it ends last: its end takes seconds if the database does not respond.
    yield* Effect.forkScoped(Effect.retry(listening, Schedule.spaced("1 second")))
    // Runs after the fibers below, and drains both workers concurrently. The workers' own finalizers would drain one
    // after the other, once every layer that uses them has closed.
    yield* Effect.addFinalizer(() => Effect.all([publisher.drain, uploader.drain], { concurrency: "unbounded" }))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(publisher.woken, round)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(uploader.woken, uploads)))
    yield* Effect.forkScoped(Effect.repeat(wakeBoth, Schedule.spaced(pollInterval)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(processLease.gained, wakeBoth)))
    yield* Effect.forkScoped(targets.listenHere(order))
  })
)
