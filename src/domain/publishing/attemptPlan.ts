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

/**
 * Made before the platform is asked. `otherwise` is the next step if the platform does not show the post. A plan has at
 * most three steps.
 */
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
  // The post can be found only through the account that sent it, which is no longer connected and may never be again.
  return claim.sentAt !== null && claim.accountId !== claim.integration.accountId
    ? new OutcomeUnknown({
        message: `The post was sent from another account than ${claim.integration.username}`,
        unsent: true
      })
    : accountRefusal(claim)
}

/**
 * The plan for a post that the platform does not show. After a send of this database, the post is sent again only if
 * that was ordered and enough looks have not found it. `failed` is the target's end if the post may not be sent.
 */
const planAbsent = (
  claim: PlannedClaim,
  earlier: Period,
  { failed, lacksFiles }: { readonly failed: Settlement | undefined; readonly lacksFiles: boolean }
): Plan => {
  if (claim.sentAt !== null && (!claim.resendOrdered || failed !== undefined || lacksFiles)) {
    return Refuse({ error: new OutcomeUnknown({ message: "The platform has not shown the post" }) })
  }
  // Timelines show posts late, so one look can't tell if an overloaded platform kept the post.
  if (claim.sentAt !== null && claim.reconcileAttempts < looksBeforeResend) {
    return Refuse({
      error: new Overloaded({
        message: `The platform was overloaded and has not shown the post. The service looks for it ${looksBeforeResend} times before it sends it again`
      })
    })
  }
  // The post was due while a process unknown to this database may have sent it, so a person decides.
  if (claim.reconcileUntil !== null && DateTime.isLessThan(claim.dueSince, claim.reconcileUntil)) {
    return Refuse({
      error: new OutcomeUnknown({
        message:
          "The database was restored or the service was away at the post's time, and the platform does not show it",
        conclusive: true
      })
    })
  }
  return failed === undefined ? Send({ earlier }) : Settle({ settlement: failed })
}

/**
 * Plans an attempt. An earlier send may have published the post if `sentAt` is set (this database's send) or
 * `reconcileFrom` is (a send of a process unknown to this database). The cases, in the order of their checks:
 * 1. Nothing was sent, and the account that could not upload the files was connected again: they are uploaded again.
 *    First, because the stored failure would end the target in case 2.
 * 2. Certainly nothing is published, and the post is too late or its files failed: the target ends, whatever the state
 *    of its account.
 * 3. The attempts are used up, or the account can't be used: the attempt is refused. All later cases need the account.
 * 4. Files are missing, and the post may be sent: they are uploaded first.
 * 5. Certainly nothing is published: the post is sent. A thread that has not begun waits for its account's `limits`.
 * 6. Only the known send may have published the post, and no resend was ordered: the platform is asked about that send.
 * 7. Otherwise the post is searched for, first with its earlier text, if any. `planAbsent` decides what follows if the
 *    platform does not show it.
 */
export const planAttempt = (claim: PlannedClaim, now: DateTime.Utc, limits: ReadonlyArray<PostLimit> = []): Plan => {
  const { prepared: stored, reconcileText, reconcileUntil, sentAt } = claim
  const { failure, prepared, uploads } = readStored(stored)
  // Null if certainly nothing is published.
  const since = mayBeOutSince(claim)
  // Case 1
  const isConnectedAgain = failure?.code === "needs_reconnect" && accountRefusal(claim) === undefined
  if (isConnectedAgain && sentAt === null) return AwaitUpload()
  // Case 2. If `failed` is set, the later cases look for the post, but do not send it.
  const failed: Settlement | undefined =
    failure === null
      ? settleLate({ attempts: claim.attempts, dueSince: claim.dueSince, now })
      : { _tag: "Failed", error: failure }
  if (since === null && failed !== undefined) return Settle({ settlement: failed })
  // Case 3
  const refusal = refuse(claim, since)
  if (refusal !== undefined) return Refuse({ error: refusal })
  // Case 4. A post that is only looked for needs no files.
  const lacksFiles = claim.media.length > 0 && prepared === null && uploads === null
  if (lacksFiles && sentAt === null && failed === undefined) return AwaitUpload()
  // Case 5
  if (since === null) {
    const wait = waitForLimit(claim, limits, now)
    return wait === undefined ? Send({ earlier: null }) : Settle({ settlement: wait })
  }

  // Case 6
  const isResent = claim.resendOrdered && failed === undefined
  if (sentAt !== null && prepared !== null && claim.reconcileFrom === null && !isResent) {
    return Reconcile({ prepared, sentAt })
  }
  // Case 7
  const period: Period = {
    from: since,
    until: reconcileUntil === null ? undefined : DateTime.max(reconcileUntil, sentAt ?? reconcileUntil)
  }
  const findPost = FindPost({ period, otherwise: planAbsent(claim, period, { failed, lacksFiles }) })
  return reconcileText === null || reconcileText === claim.text
    ? findPost
    : FindEarlierText({ period, text: reconcileText, otherwise: findPost })
}
