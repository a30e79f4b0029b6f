import { Data, DateTime } from "effect"
import type { Json } from "effect/Schema"
import { accountRefusal, type AccountOfClaim } from "./accountRefusal.ts"
import { OutcomeUnknown, Overloaded, type PlatformError, Unavailable } from "./platformError.ts"
import { looksBeforeResend, maxAttempts } from "./retryPolicy.ts"
import { settleLate, type Settlement } from "./settlement.ts"
import { readStored } from "./storedUploads.ts"
import type { ThreadCursor } from "./threadCursor.ts"
import { type PostLimit, waitForLimit } from "./threadStart.ts"

/** The repository's claim documents these members. */
export interface PlannedClaim extends AccountOfClaim, ThreadCursor {
  readonly attempts: number
  readonly dueSince: DateTime.Utc
  readonly media: ReadonlyArray<unknown>
  readonly prepared: Json | null
  readonly reconcileAttempts: number
  readonly reconcileFrom: DateTime.Utc | null
  readonly reconcileText: string | null
  readonly reconcileUntil: DateTime.Utc | null
  readonly resendOrdered: boolean
  readonly sentAt: DateTime.Utc | null
  readonly text: string
}

/** The period in which the send that is searched for may have begun. */
export interface Period {
  readonly from: DateTime.Utc
  /** Undefined if it has no end. */
  readonly until: DateTime.Utc | undefined
}

/** Made before the platform is asked. Each branch has at most three steps. */
export type Plan = Data.TaggedEnum<{
  Settle: { readonly settlement: Settlement }
  Refuse: { readonly error: PlatformError }
  AwaitUpload: {}
  /** Asks about the send that began at `sentAt`. Repeats it if that is safe. */
  Reconcile: { readonly prepared: Json; readonly sentAt: DateTime.Utc }
  /** The target fails if the platform shows the post with its earlier text. */
  FindEarlierText: { readonly text: string; readonly period: Period; readonly otherwise: Plan }
  /** The target is published if the platform shows the post. */
  FindPost: { readonly period: Period; readonly otherwise: Plan }
  /** `earlier` is the period of a possible earlier send; null if there certainly was none. */
  Send: { readonly earlier: Period | null }
}>
const { AwaitUpload, FindEarlierText, FindPost, Reconcile, Refuse, Send, Settle } = Data.taggedEnum<Plan>()

/** Null if the post certainly is not on the platform. */
export const mayBeOutSince = ({
  reconcileFrom,
  sentAt
}: Pick<PlannedClaim, "reconcileFrom" | "sentAt">): DateTime.Utc | null =>
  sentAt === null || reconcileFrom === null ? (sentAt ?? reconcileFrom) : DateTime.min(sentAt, reconcileFrom)

const refuse = (claim: PlannedClaim, since: DateTime.Utc | null): PlatformError | undefined => {
  if (claim.attempts > maxAttempts) {
    const message = "The service stopped during the last attempt"
    return since === null ? new Unavailable({ message }) : new OutcomeUnknown({ message })
  }
  // The connected account can't show a post of the first account, which may never be connected again.
  return claim.sentAt !== null && claim.accountId !== claim.integration.accountId
    ? new OutcomeUnknown({
        message: `The post was sent from another account than ${claim.integration.username}`,
        unsent: true
      })
    : accountRefusal(claim)
}

/** The plan for a post that the platform does not show. `ended` is a reason not to send it. */
const planAbsent = (
  claim: PlannedClaim,
  earlier: Period,
  { ended, lacksFiles }: { readonly ended: Settlement | undefined; readonly lacksFiles: boolean }
): Plan => {
  if (claim.sentAt !== null && (!claim.resendOrdered || ended !== undefined || lacksFiles)) {
    return Refuse({ error: new OutcomeUnknown({ message: "The platform has not shown the post" }) })
  }
  // A timeline lags, so one look can't tell if an overloaded platform kept the post.
  if (claim.sentAt !== null && claim.reconcileAttempts < looksBeforeResend) {
    return Refuse({
      error: new Overloaded({
        message: `The platform was overloaded and has not shown the post. The service looks for it ${looksBeforeResend} times before it sends it again`
      })
    })
  }
  if (claim.reconcileUntil !== null && DateTime.isLessThan(claim.dueSince, claim.reconcileUntil)) {
    return Refuse({
      error: new OutcomeUnknown({
        message:
          "The database was restored or the service was away at the post's time, and the platform does not show it",
        conclusive: true
      })
    })
  }
  return ended === undefined ? Send({ earlier }) : Settle({ settlement: ended })
}

/**
 * A target that might be published is searched for. It is sent again only if that was ordered and enough looks since
 * its last send have not found it. A thread that certainly has not begun waits for its account's `limits`.
 */
export const planAttempt = (claim: PlannedClaim, now: DateTime.Utc, limits: ReadonlyArray<PostLimit> = []): Plan => {
  const { prepared: stored, reconcileText, reconcileUntil, sentAt } = claim
  const { failure, prepared, uploads } = readStored(stored)
  const since = mayBeOutSince(claim)
  // The post's account was connected again after its files were refused.
  const isUploadedAgain = failure?.code === "needs_reconnect" && accountRefusal(claim) === undefined
  if (isUploadedAgain && sentAt === null) return AwaitUpload()
  const ended: Settlement | undefined =
    failure === null
      ? settleLate({ attempts: claim.attempts, dueSince: claim.dueSince, now })
      : { _tag: "Failed", error: failure }
  // A target that might be out is only looked for, even if it is late or its files failed.
  if (since === null && ended !== undefined) return Settle({ settlement: ended })
  const error = refuse(claim, since)
  if (error !== undefined) return Refuse({ error })
  // A target that is only looked for needs no files.
  const lacksFiles = claim.media.length > 0 && prepared === null && uploads === null
  if (lacksFiles && sentAt === null && ended === undefined) return AwaitUpload()
  if (since === null) {
    const wait = waitForLimit(claim, limits, now)
    return wait === undefined ? Send({ earlier: null }) : Settle({ settlement: wait })
  }

  const isResent = claim.resendOrdered && ended === undefined
  if (sentAt !== null && prepared !== null && claim.reconcileFrom === null && !isResent) {
    return Reconcile({ prepared, sentAt })
  }
  const period: Period = {
    from: since,
    until: reconcileUntil === null ? undefined : DateTime.max(reconcileUntil, sentAt ?? reconcileUntil)
  }
  const findPost = FindPost({ period, otherwise: planAbsent(claim, period, { ended, lacksFiles }) })
  return reconcileText === null || reconcileText === claim.text
    ? findPost
    : FindEarlierText({ period, text: reconcileText, otherwise: findPost })
}
