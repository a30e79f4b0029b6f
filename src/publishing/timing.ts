import { Duration } from "effect"
import { maxOperationTime } from "../platforms/call.ts"
import type { ClaimAhead } from "../repo/targets/Targets.ts"

/** Includes looking up mentioned accounts. */
export const prepareTimeout = Duration.seconds(45)

/** The timeout of a send or a reconciliation. */
export const sendTimeout = Duration.sum(maxOperationTime, Duration.seconds(10))

/** The most that a process's clock may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/**
 * Targets are claimed this early, so that one claim serves several and each is sent at its time. Once claimed, a post
 * can't be changed, and its account sends nothing else.
 */
export const ahead: ClaimAhead = { within: Duration.millis(100), lead: Duration.millis(20) }

/** A claim's lease, by the process's clock. It starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** The timeout for one target's files, including the processing of a video. */
export const uploadTimeout = Duration.minutes(20)

export const uploadLease = Duration.sum(uploadTimeout, skewAllowance)

export const heldCheckInterval = Duration.seconds(5)

/** The first and the longest pause between single attempts on a host that does not respond. */
export const probePause = Duration.seconds(5)
export const maxProbePause = Duration.seconds(30)

/**
 * The pause before a claim is released because the database is unavailable. Without it, the target would be claimed
 * immediately, for as long as the same statement fails.
 */
export const releasePause = Duration.seconds(3)

/** A stopping publisher interrupts its attempts after this time. */
export const drainTimeout = Duration.seconds(8)

/** If the database has refused outcomes for this long, the process claims nothing. */
export const refusedUntilNoClaims = Duration.seconds(5)

export const probeInterval = Duration.seconds(1)

/** If the database has refused outcomes for this long, the process gives up its right to send to other processes. */
export const refusedUntilNoLease = Duration.seconds(10)

/**
 * A refused outcome is kept this long. It can still be stored by the token of the send after another process has taken
 * the claim over without knowing the outcome.
 */
export const outcomeKeptFor = Duration.minutes(10)

/** The second interval applies while the database is unavailable. */
export const renewInterval = Duration.seconds(5)
export const renewRetryInterval = Duration.seconds(1)

/** A process stops claiming and sending this early, so that its requests are sent or fail before its lease ends. */
export const leaseMargin = Duration.seconds(10)

/**
 * A process renews its lease before a claim if its right ends sooner. Posts are claimed shortly before they are sent.
 * Without the renewal, they might be released unsent, and be late.
 */
export const claimMargin = Duration.seconds(1)

/** Shorter than `leaseMargin`. */
export const connectTimeout = Duration.seconds(5)
