import { Cause, DateTime, Duration, Effect, FiberHandle, Layer, Option, Schedule } from "effect"
import { Repo } from "../repo/Repo.ts"
import { Publisher } from "./Publisher.ts"
import { pollInterval } from "./timing.ts"

/**
 * The fiber that publishes due posts: it ticks every ten seconds, and sooner when it is woken by a call from any process,
 * by a target that has ended, or by a due time that falls before the next beat.
 */
export const scheduledFiber = Layer.effectDiscard(
  Effect.gen(function* () {
    const publisher = yield* Publisher
    const { targets } = yield* Repo
    const alarm = yield* FiberHandle.make<void>()
    const wakeAfter = (delay: Duration.Duration) => FiberHandle.run(alarm, Effect.delay(publisher.wake, delay))

    const lookAhead = Effect.gen(function* () {
      const due = yield* targets.nextDue
      if (Option.isNone(due)) return
      const delay = DateTime.distance(yield* DateTime.now, due.value)
      if (Duration.isLessThan(delay, pollInterval)) yield* wakeAfter(delay)
    })

    const round = Effect.andThen(publisher.tick, lookAhead).pipe(
      Effect.catchTag("DatabaseUnavailable", (error) =>
        Effect.andThen(
          Effect.logWarning("No tick, the database is away", Cause.fail(error)),
          wakeAfter(Duration.seconds(1))
        )
      ),
      Effect.catchDefect((defect) => Effect.logError("A tick failed unexpectedly", Cause.die(defect)))
    )

    const listening = targets.listen(publisher.wake).pipe(
      Effect.tapDefect((defect) => Effect.logError("Listening for calls failed unexpectedly", Cause.die(defect))),
      Effect.sandbox
    )

    // Once the fibers have ended, and while whatever else there is comes to its end, too.
    yield* Effect.addFinalizer(() => publisher.drain)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(publisher.woken, round)))
    yield* Effect.forkScoped(Effect.repeat(publisher.wake, Schedule.spaced(pollInterval)))
    yield* Effect.forkScoped(Effect.retry(listening, Schedule.spaced("1 second")))
  })
)
