import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { deletedTargetRetention } from "../domain/publishing/retryPolicy.ts"
import { Repo } from "../repo/Repo.ts"

const sweepInterval = Duration.hours(1)

/** Targets that one statement forgets. */
const batchSize = 1_000

/** Forgets the targets that were deleted long enough ago, batch by batch. Several processes may do so at once. */
export const forgetDeletedTargets = Effect.gen(function* () {
  const { targets } = yield* Repo
  const expired = DateTime.subtractDuration(yield* DateTime.now, deletedTargetRetention)
  yield* Effect.repeat(targets.forgetDeleted(expired, batchSize), { until: (removed) => removed < batchSize })
}).pipe(Effect.withSpan("forgetDeletedTargets"))

/** Forgets what deleted targets owned at the start and every hour. What fails is tried again an hour later. */
export const deletedRetentionLayer = Layer.effectDiscard(
  forgetDeletedTargets.pipe(
    Effect.catch((error) => Effect.logWarning("Deleted targets could not be forgotten", error)),
    Effect.repeat(Schedule.spaced(sweepInterval)),
    Effect.forkScoped
  )
)
