import { Duration } from "effect"
import { maxOperationTime } from "../platforms/call.ts"
import type { ClaimAhead } from "../repo/targets/Targets.ts"

/** Timeout of preparing a post, which includes looking up mentioned accounts. */
export const prepareTimeout = Duration.seconds(45)

/** Timeout of one send or one reconciliation. */
export const sendTimeout = Duration.sum(maxOperationTime, Duration.seconds(10))

/** How far a process's clock may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/**
 * How long before targets are due they are claimed. Of what falls due at a steady rate one claim serves several, and each is sent at its
 * time instead of a claim later. In that time the post can no longer be changed, and nothing else of its account is sent.
 */
export const ahead: ClaimAhead = { within: Duration.millis(100), lead: Duration.millis(20) }

/** How long a claim is exclusive to its process, by the database's clock. Starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** Timeout of uploading the files of one target, which includes the platform's processing of a video. */
export const uploadTimeout = Duration.minutes(20)

/** How long the claim of an upload is exclusive to its process. */
export const uploadLease = Duration.sum(uploadTimeout, skewAllowance)

/** How often an upload looks whether its post still waits for it. */
export const heldCheckInterval = Duration.seconds(5)

/** The pauses between single attempts on a host that does not respond: the first, and the longest. */
export const probePause = Duration.seconds(5)
export const maxProbePause = Duration.seconds(30)

/**
 * How long a claim is held before it is released for want of the database. Without a pause its target would be claimed at once,
 * and again for as long as the same statement fails.
 */
export const releasePause = Duration.seconds(3)

/** How long a publisher that shuts down waits for attempts in flight before it interrupts them. */
export const drainTimeout = Duration.seconds(8)

/** The time after which a process claims nothing while the database refuses to store outcomes. */
export const refusedUntilNoClaims = Duration.seconds(5)

/** The pause between two probes that check if the database stores anything, while it refuses outcomes. */
export const probeInterval = Duration.seconds(1)

/** The time after which it then gives up its right to send, so that others take over its claims. */
export const refusedUntilNoLease = Duration.seconds(10)

/**
 * The time for which a refused outcome is kept. Others may have taken the claim over without knowing the outcome, so it
 * is stored by the token of the send.
 */
export const outcomeKeptFor = Duration.minutes(10)

/** How often a process renews its lease, and how soon it tries again while the database is unavailable. */
export const renewInterval = Duration.seconds(5)
export const renewRetryInterval = Duration.seconds(1)

/**
 * How long before its lease ends a process stops claiming and sending, so that a request that it began has left by then or
 * has failed.
 */
export const leaseMargin = Duration.seconds(10)

/** The longest gap between renewals after which a process still knows that the others could renew as well. */
export const maxRenewalGap = Duration.seconds(10)

/** Timeout of connecting to a platform. Within `leaseMargin`. */
export const connectTimeout = Duration.seconds(5)
