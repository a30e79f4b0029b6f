import { Cause, DateTime, Duration, Effect, Layer, Schedule, Struct } from "effect"
import type { DatabaseUnavailable } from "./domain/errors.ts"
import { mailRetention } from "./domain/mail/mailPolicy.ts"
import { deletedTargetRetention } from "./domain/publishing/retryPolicy.ts"
import { deliveryRetention, eventRetention } from "./domain/webhooks/webhook.ts"
import { removeOrphans, sweepMedia } from "./media/retention.ts"
import { keyRetention } from "./repo/idempotency.ts"
import { Repo } from "./repo/Repo.ts"

const notificationRetention = Duration.days(90)

const batchSize = 1_000

/** Deletes up to `limit` rows from before a time, and returns their number. */
type RemoveBefore = (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>

const removeAfter = (kept: Duration.Duration, removeOf: (repo: Repo["Service"]) => RemoveBefore) =>
  Effect.gen(function* () {
    const remove = removeOf(yield* Repo)
    const expired = DateTime.subtractDuration(yield* DateTime.now, kept)
    yield* Effect.repeat(remove(expired, batchSize), { until: (removed) => removed < batchSize })
  })

/** Each deletes what has expired. Several processes can run the same sweep at once. */
export const sweeps = {
  notifications: removeAfter(notificationRetention, ({ notifications }) => notifications.removeBefore),
  mail: removeAfter(mailRetention, ({ deliveries }) => deliveries.removeBefore),
  deletedTargets: removeAfter(deletedTargetRetention, ({ targets }) => targets.forgetDeleted),
  deliveries: removeAfter(deliveryRetention, ({ webhooks }) => webhooks.removeDeliveriesBefore),
  events: removeAfter(eventRetention, ({ events }) => events.removeBefore),
  idempotencyKeys: removeAfter(keyRetention, ({ idempotency }) => idempotency.removeBefore),
  fileLinks: removeAfter(Duration.zero, ({ fileLinks }) => fileLinks.removeBefore),
  media: sweepMedia,
  bytes: removeOrphans
}

/**
 * `bytes` runs rarely, because it reads the whole store, and only a crash leaves bytes there to which no file refers.
 */
const intervals: Readonly<Record<keyof typeof sweeps, Duration.Input>> = {
  notifications: "1 hour",
  mail: "1 hour",
  deletedTargets: "1 hour",
  deliveries: "1 hour",
  events: "1 hour",
  idempotencyKeys: "1 hour",
  fileLinks: "1 hour",
  media: "1 hour",
  bytes: "1 day"
}

/** A failed sweep waits for the next interval, and does not block others. */
export const sweeperLayer = Layer.effectDiscard(
  Effect.forEach(Struct.keys(sweeps), (what) =>
    sweeps[what].pipe(
      Effect.withSpan(`sweep.${what}`),
      Effect.catchCause((cause) =>
        (Cause.hasDies(cause) ? Effect.logError : Effect.logWarning)(`What is old could not be deleted: ${what}`, cause)
      ),
      Effect.repeat(Schedule.spaced(intervals[what])),
      Effect.forkScoped
    )
  )
)
