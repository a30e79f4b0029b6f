import { Duration, Effect, Metric, type Schema } from "effect"
import { issuePlaces } from "../../domain/issues.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeUnclaim } from "./release.ts"
import type { Claim } from "./Targets.ts"

export const unreadableTargets = Metric.counter("publish_unreadable_targets_total", {
  description:
    "Due targets and uploads that this version could not read; each is set aside for a minute and then counted again",
  incremental: true
})

const unreadable = {
  code: "unavailable",
  message:
    "This version of the service can't read what is stored of this post, so the post is not published. It is tried again every minute; tell the operator, or delete the post and create it again"
} as const

export interface UnreadableTarget {
  readonly targetId: Claim["targetId"]
  readonly token: Claim["token"]
  readonly error: Schema.SchemaError
}

/**
 * Postpones targets that this version can't read by a minute, perhaps for a version that can. Never fails: if the write
 * fails, the claims are abandoned.
 */
export const makeSetAside = Effect.fnUntraced(function* (
  abandon: (claim: Pick<Claim, "targetId" | "token">) => Effect.Effect<void>
) {
  const unclaim = yield* makeUnclaim
  yield* Metric.update(unreadableTargets, 0)

  return Effect.fnUntraced(function* (targets: ReadonlyArray<UnreadableTarget>) {
    const [first] = targets
    if (first === undefined) return
    yield* Effect.forEach(
      targets,
      (target) =>
        Effect.logError(`A due target can't be read and is set aside for a minute: ${issuePlaces(target.error)}`).pipe(
          Effect.annotateLogs({ target_id: target.targetId })
        ),
      { discard: true }
    )
    yield* Metric.update(unreadableTargets, targets.length)
    yield* unclaim({
      targetIds: targets.map((target) => target.targetId),
      token: first.token,
      before: null,
      postponesBy: Duration.toSeconds("1 minute"),
      error: unreadable
    }).pipe(
      withDatabaseTimeout("setting targets aside"),
      Effect.tapCause(() => Effect.forEach(targets, abandon, { discard: true })),
      bestEffort("Targets that can't be read were not set aside, and their claims are abandoned")
    )
  })
})
