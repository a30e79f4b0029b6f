import { Cause, Clock, DateTime, Duration, Effect, Fiber, Layer, Metric, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { CurrentRequester } from "../../domain/requester.ts"
import { Repo } from "../../repo/Repo.ts"
import { type Backlog, backlogLimit } from "../../repo/targets/Targets.ts"

const dueTargets = Metric.gauge("publish_due_targets", {
  description: `Due targets that no process is working on, ${backlogLimit} meaning that or more; the same on all replicas`
})

const oldestDue = Metric.gauge("publish_oldest_due_seconds", {
  description: "How long the oldest of these targets has been due"
})

const oldestUpload = Metric.gauge("publish_oldest_upload_seconds", {
  description: "How long the upload to a platform that waits longest could have begun"
})

const databaseUp = Metric.gauge("database_up", {
  description: "Whether the database answered the query for the backlog: 1 or 0"
})

const databaseLatency = Metric.gauge("database_answer_seconds", {
  description: "How long that query took, including the wait for a free connection"
})

/**
 * Well below the ten seconds after which scrapers give up, so that they get the other metrics even if the database
 * hangs.
 */
const backlogTimeout = Duration.seconds(2)

/** The shortest time between two queries, however many scrapers there are. */
const backlogInterval = Duration.seconds(5)

const secondsSince = (time: DateTime.Utc | null, now: DateTime.Utc) =>
  time === null ? 0 : Duration.toSeconds(DateTime.distance(time, now))

const updateBacklog = (read: Option.Option<Backlog>, now: DateTime.Utc) =>
  Option.match(read, {
    // Removed, because an old value would look current.
    onNone: () =>
      Effect.all([Metric.remove(dueTargets), Metric.remove(oldestDue), Metric.remove(oldestUpload)], { discard: true }),
    onSome: (backlog) =>
      Effect.all(
        [
          Metric.update(dueTargets, backlog.due),
          Metric.update(oldestDue, secondsSince(backlog.oldest, now)),
          Metric.update(oldestUpload, secondsSince(backlog.oldestUpload, now))
        ],
        { discard: true }
      )
  })

/** Never fails, and takes at most `backlogTimeout`. */
const makeRefreshBacklog = Effect.gen(function* () {
  const { targets } = yield* Repo
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope

  const refresh = Effect.gen(function* () {
    const start = clock.monotonicTimeNanosUnsafe()
    // A query to a frozen database can't be interrupted, so it runs in a fiber that may outlive the timeout.
    const query = Effect.provideService(targets.backlog, CurrentRequester, undefined)
    const backlog = yield* Effect.forkIn(query, scope).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutOption(backlogTimeout),
      Effect.catchCause((cause) =>
        (Cause.hasDies(cause) ? Effect.logError("The backlog could not be read", cause) : Effect.void).pipe(
          Effect.as(Option.none())
        )
      )
    )
    const seconds = Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9
    yield* updateBacklog(backlog, yield* DateTime.now)
    yield* Metric.update(databaseUp, Option.isSome(backlog) ? 1 : 0)
    yield* Metric.update(databaseLatency, seconds)
  })
  return yield* Effect.cachedWithTTL(refresh, backlogInterval)
})

/** Formatting takes some 16 ms, and anybody who reaches the server may ask. */
const formatInterval = Duration.seconds(1)

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Contains no figures of single workspaces, because everybody who reaches the server may read them. */
export const metricsLayer = Layer.unwrap(
  Effect.gen(function* () {
    const refreshBacklog = yield* makeRefreshBacklog
    const formatted = yield* Effect.cachedWithTTL(
      Effect.andThen(refreshBacklog, PrometheusMetrics.format()),
      formatInterval
    )
    return HttpRouter.add(
      "GET",
      "/metrics",
      Effect.map(formatted, (text) => HttpServerResponse.text(text, { contentType }))
    )
  })
)
