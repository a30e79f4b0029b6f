import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { Repo } from "../repo/Repo.ts"

/** How long notifications are kept. */
const retention = Duration.days(90)

const sweepInterval = Duration.hours(1)

/** Notifications that one statement deletes. */
const batchSize = 1_000

/** Deletes the notifications that were kept long enough, batch by batch. Several processes may do so at once. */
export const sweepNotifications = Effect.gen(function* () {
  const { notifications } = yield* Repo
  const expired = DateTime.subtractDuration(yield* DateTime.now, retention)
  yield* Effect.repeat(notifications.removeBefore(expired, batchSize), { until: (removed) => removed < batchSize })
}).pipe(Effect.withSpan("sweepNotifications"))

/** Deletes old notifications at the start and every hour. What fails is tried again an hour later. */
export const notificationRetentionLayer = Layer.effectDiscard(
  sweepNotifications.pipe(
    Effect.catch((error) => Effect.logWarning("Old notifications could not be deleted", error)),
    Effect.repeat(Schedule.spaced(sweepInterval)),
    Effect.forkScoped
  )
)
