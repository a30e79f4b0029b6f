import { Cause, Clock, DateTime, Duration, Effect, Fiber, Metric, Option } from "effect"
import { Repo } from "../../repo/Repo.ts"
import { type Backlog, backlogLimit } from "../../repo/targets/Targets.ts"

const due = Metric.gauge("publish_due_targets", {
  description: `Targets that are due and that no process works on, ${backlogLimit} meaning that or more; all replicas show the same`
})

const oldestDue = Metric.gauge("publish_oldest_due_seconds", {
  description: "How long the one of them that has waited longest has been due"
})

const up = Metric.gauge("database_up", {
  description: "Whether the database answered when it was asked for the backlog: 1 or 0"
})

const answer = Metric.gauge("database_answer_seconds", {
  description: "How long that answer took, waiting for a free connection included"
})

/** Scrapers give up after ten seconds; the other figures must have reached them by then. */
const patience = Duration.seconds(2)

/** However many scrapers there are, the database is asked no more often. */
const every = Duration.seconds(5)

const show = (backlog: Option.Option<Backlog>, now: DateTime.Utc) =>
  Option.match(backlog, {
    // An old figure would look like a good one.
    onNone: () => Effect.andThen(Metric.remove(due), Metric.remove(oldestDue)),
    onSome: ({ due: count, oldest }) => {
      const age = oldest === null ? Duration.zero : DateTime.distance(oldest, now)
      return Effect.andThen(Metric.update(due, count), Metric.update(oldestDue, Duration.toSeconds(age)))
    }
  })

/** Brings the figures up to date, unless they are. Never fails, and takes two seconds at most. */
export const makeBacklogMetrics = Effect.gen(function* () {
  const { targets } = yield* Repo
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope

  const refresh = Effect.gen(function* () {
    const began = clock.monotonicTimeNanosUnsafe()
    // A database that is frozen does not even let go of who asked, so a fiber of its own is left to wait for it.
    const backlog = yield* Effect.forkIn(targets.backlog, scope).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutOption(patience),
      Effect.catchCause((cause) =>
        (Cause.hasDies(cause) ? Effect.logError("The backlog could not be read", cause) : Effect.void).pipe(
          Effect.as(Option.none())
        )
      )
    )
    const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
    yield* show(backlog, yield* DateTime.now)
    yield* Metric.update(up, Option.isSome(backlog) ? 1 : 0)
    yield* Metric.update(answer, seconds)
  })
  return yield* Effect.cachedWithTTL(refresh, every)
})
