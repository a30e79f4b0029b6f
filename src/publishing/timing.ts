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
 * Targets are claimed this early, so that one claim serves several and each is sent at its time. Meanwhile the post
 * can't be changed, and its account sends nothing else.
 */
export const ahead: ClaimAhead = { within: Duration.millis(100), lead: Duration.millis(20) }

/** A claim's lease, by the database's clock. It starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** The timeout for one target's files. It includes the processing of a video. */
export const uploadTimeout = Duration.minutes(20)

export const uploadLease = Duration.sum(uploadTimeout, skewAllowance)

/** An upload checks this often if its post still waits for it. */
export const heldCheckInterval = Duration.seconds(5)

/** The first and the longest pause between single attempts on a host that does not respond. */
export const probePause = Duration.seconds(5)
export const maxProbePause = Duration.seconds(30)

/**
 * A claim is held this long before it is released because the database is unavailable. Without the pause, its target
 * would be claimed immediately, for as long as the same statement fails.
 */
export const releasePause = Duration.seconds(3)

/** A stopping publisher then interrupts its attempts. */
export const drainTimeout = Duration.seconds(8)

/** Refused outcomes stop claims after this time. */
export const refusedUntilNoClaims = Duration.seconds(5)

/** The pause between probes of the database. */
export const probeInterval = Duration.seconds(1)

/** The process then gives up its right to send, so that others take over. */
export const refusedUntilNoLease = Duration.seconds(10)

/**
 * A refused outcome is kept this long. Others may have taken the claim over without knowing it, so it is stored by the
 * token of the send.
 */
export const outcomeKeptFor = Duration.minutes(10)

/** The second interval applies while the database is unavailable. */
export const renewInterval = Duration.seconds(5)
export const renewRetryInterval = Duration.seconds(1)

/** A process stops claiming and sending this early, so that its requests leave or fail before its lease ends. */
export const leaseMargin = Duration.seconds(10)

/** The longest gap between renewals in which other processes surely could renew. */
export const maxRenewalGap = Duration.seconds(10)

/** Shorter than `leaseMargin`. */
export const connectTimeout = Duration.seconds(5)
