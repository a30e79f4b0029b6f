import { DateTime, Duration, Effect, Metric } from "effect"
import { issuePlaces } from "../../domain/issues.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { unreadableTargets, type UnreadableTarget } from "../targets/setAside.ts"
import type { UploadClaim } from "./PlatformUploads.ts"
import { makePostponeUpload } from "./postponeUpload.ts"

const pause = Duration.minutes(1)

const error = {
  code: "unavailable",
  message: "This version of the service can't read what is stored of the files, so they wait for another version",
  retryable: true
} as const

/**
 * Returned uploads can be claimed in a minute, perhaps by a version that can read them. Never fails; uploads that can't
 * be returned are abandoned.
 */
export const makeSetUploadsAside = Effect.fnUntraced(function* (
  abandon: (claim: Pick<UploadClaim, "targetId" | "token">) => Effect.Effect<void>
) {
  const postpone = yield* makePostponeUpload

  return Effect.fnUntraced(function* (uploads: ReadonlyArray<UnreadableTarget>) {
    if (uploads.length === 0) return
    yield* Metric.update(unreadableTargets, uploads.length)
    const now = yield* DateTime.now
    yield* Effect.forEach(
      uploads,
      ({ error: issue, targetId, token }) =>
        Effect.logError(`An upload can't be read and is set aside for a minute: ${issuePlaces(issue)}`).pipe(
          Effect.andThen(
            postpone({
              targetId,
              token,
              at: DateTime.addDuration(now, pause),
              now,
              givesBack: 1,
              error,
              isShown: true,
              begun: { _tag: "Kept" }
            }).pipe(
              withDatabaseTimeout("setting an upload aside"),
              Effect.tapCause(() => abandon({ targetId, token })),
              bestEffort("An upload that can't be read was not set aside, and its claim is abandoned")
            )
          ),
          Effect.annotateLogs({ target_id: targetId })
        ),
      { discard: true }
    )
  })
})
