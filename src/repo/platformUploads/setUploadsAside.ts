import { DateTime, Duration, Effect, Metric } from "effect"
import { issuePlaces } from "../../domain/issues.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { unreadableTargets, type UnreadableTarget } from "../targets/setAside.ts"
import type { UploadClaim } from "./PlatformUploads.ts"
import { makePostponeUpload } from "./postponeUpload.ts"

const pause = Duration.minutes(1)

const unreadable = {
  code: "unavailable",
  message: "This version of the service can't read what is stored of the files, so they wait for another version",
  retryable: true
} as const

/**
 * Postpones uploads that this version can't read by a minute, perhaps for a version that can. Never fails: if the write
 * fails, the claim is abandoned.
 */
export const makeSetUploadsAside = Effect.fnUntraced(function* (
  abandon: (claim: Pick<UploadClaim, "targetId" | "token">) => Effect.Effect<void>
) {
  const postpone = yield* makePostponeUpload

  const setAside = Effect.fnUntraced(function* ({ error, targetId, token }: UnreadableTarget, now: DateTime.Utc) {
    yield* Effect.logError(`An upload can't be read and is set aside for a minute: ${issuePlaces(error)}`)
    yield* postpone({
      targetId,
      token,
      at: DateTime.addDuration(now, pause),
      now,
      givesBack: 1,
      error: unreadable,
      isShown: true,
      begun: { _tag: "Kept" }
    }).pipe(
      withDatabaseTimeout("setting an upload aside"),
      Effect.tapCause(() => abandon({ targetId, token })),
      bestEffort("An upload that can't be read was not set aside, and its claim is abandoned")
    )
  })

  return Effect.fnUntraced(function* (uploads: ReadonlyArray<UnreadableTarget>) {
    if (uploads.length === 0) return
    yield* Metric.update(unreadableTargets, uploads.length)
    const now = yield* DateTime.now
    yield* Effect.forEach(
      uploads,
      (upload) => Effect.annotateLogs(setAside(upload, now), { target_id: upload.targetId }),
      { discard: true }
    )
  })
})
