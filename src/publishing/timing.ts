import { Duration } from "effect"
import { maxOperationTime } from "../platforms/call.ts"
import type { ClaimAhead } from "../repo/targets/Targets.ts"

/** Includes looking up mentioned accounts. */
export const prepareTimeout = Duration.seconds(45)

/** Also of a reconciliation. */
export const sendTimeout = Duration.sum(maxOperationTime, Duration.seconds(10))

/** The most that a process's clock may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/**
 * Targets are claimed this early. At a steady rate one claim serves several targets, and each is sent at its time
 * instead of a claim later. In that time the post can't be changed, and its account sends nothing else.
 */
export const ahead: ClaimAhead = { within: Duration.millis(100), lead: Duration.millis(20) }

/** By the database's clock. It starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** For one target's files, with the processing of a video. */
export const uploadTimeout = Duration.minutes(20)

export const uploadLease = Duration.sum(uploadTimeout, skewAllowance)

/** An upload checks this often if its post still waits for it. */
export const heldCheckInterval = Duration.seconds(5)

/** Between single attempts on a host that does not respond. */
export const probePause = Duration.seconds(5)
export const maxProbePause = Duration.seconds(30)

/**
 * Before a claim is released because the database is unavailable. Without it, the target would be claimed immediately,
 * for as long as the same statement fails.
 */
export const releasePause = Duration.seconds(3)

/** A stopping publisher then interrupts its attempts. */
export const drainTimeout = Duration.seconds(8)

/** Refused outcomes stop claims after this time. */
export const refusedUntilNoClaims = Duration.seconds(5)

/** Between probes of the database. */
export const probeInterval = Duration.seconds(1)

/** The process then gives up its right to send, so that others take over. */
export const refusedUntilNoLease = Duration.seconds(10)

/**
 * For a refused outcome. Others may have taken the claim over without knowing it, so it is stored by the token of the
 * send.
 */
export const outcomeKeptFor = Duration.minutes(10)

/** The second applies while the database is unavailable. */
export const renewInterval = Duration.seconds(5)
export const renewRetryInterval = Duration.seconds(1)

/** A process stops claiming and sending this early, so that its requests leave or fail before its lease ends. */
export const leaseMargin = Duration.seconds(10)

/** The longest gap between renewals in which other processes surely could renew. */
export const maxRenewalGap = Duration.seconds(10)

/** Shorter than `leaseMargin`. */
export const connectTimeout = Duration.seconds(5)
