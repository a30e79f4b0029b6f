import { DateTime, Duration, Effect } from "effect"
import type { Settlement } from "../domain/settlement.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { countAttempt, countLateness, countSettlement } from "./metrics.ts"

const outcomeOf = (settlement: Settlement): string =>
  settlement._tag === "Published" ? "published" : settlement.error.code

/** Says of everything that is logged meanwhile which target it is about, but neither the text nor the account. */
export const aboutClaim = ({ attempts, platform, postId, targetId, workspaceId }: Claim) =>
  Effect.annotateLogs({
    workspace_id: workspaceId,
    post_id: postId,
    target_id: targetId,
    platform,
    attempts
  })

const lateBy = (claim: Claim) => Effect.map(DateTime.now, (now) => DateTime.distance(claim.dueSince, now))

/** Notes how late a target is where this is its first attempt. */
export const observeStart = Effect.fnUntraced(function* (claim: Claim) {
  const { attempts, platform, postId, sentAt } = claim
  yield* Effect.annotateCurrentSpan({
    "publish.platform": platform,
    "publish.post_id": postId,
    "publish.attempt": attempts
  })
  if (attempts === 1 && sentAt === null) yield* countLateness(platform, yield* lateBy(claim))
})

/** Times an attempt and notes what it comes to. */
export const observeAttempt = <E, R>(claim: Claim, settled: Effect.Effect<Settlement, E, R>) =>
  Effect.gen(function* () {
    const [took, settlement] = yield* Effect.timed(settled)
    yield* countAttempt(claim.platform, settlement._tag, took)
    yield* Effect.annotateCurrentSpan("publish.outcome", outcomeOf(settlement))
    return settlement
  })

/**
 * Notes what became of a target, once that is stored. What the platform said is not logged: it may repeat the text. It
 * stands in the target's `error`.
 */
export const observeSettlement = Effect.fnUntraced(function* (claim: Claim, settlement: Settlement) {
  const outcome = outcomeOf(settlement)
  yield* Effect.annotateCurrentSpan({ "publish.platform": claim.platform, "publish.outcome": outcome })
  yield* countSettlement(claim.platform, settlement)
  const lateness_seconds = Duration.toSeconds(yield* lateBy(claim))
  yield* (
    settlement._tag === "Retry"
      ? Effect.logWarning(`${claim.platform} is tried again: ${outcome}`).pipe(
          Effect.annotateLogs({ outcome: "retry", reason: outcome, next_attempt: DateTime.formatIso(settlement.at) })
        )
      : Effect.logInfo(`${claim.platform} has ended: ${outcome}`).pipe(Effect.annotateLogs({ outcome }))
  ).pipe(Effect.annotateLogs({ lateness_seconds }))
})
