import { Duration } from "effect"
import { maxOperationTime } from "../platforms/call.ts"
import type { ClaimAhead } from "../repo/targets/Targets.ts"

/** Includes looking up mentioned accounts. */
export const prepareTimeout = Duration.seconds(45)

/** For one send or one reconciliation. */
export const sendTimeout = Duration.sum(maxOperationTime, Duration.seconds(10))

/** The most that a process's clock may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/**
 * Targets are claimed this long before they are due. At a steady rate one claim then serves several targets, and each
 * is sent at its time instead of a claim later. In that time the post can't be changed, and its account sends nothing
 * else.
 */
export const ahead: ClaimAhead = { within: Duration.millis(100), lead: Duration.millis(20) }

/** A claim's lease, by the database's clock. It starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** For the files of one target. Includes the platform's processing of a video. */
export const uploadTimeout = Duration.minutes(20)

export const uploadLease = Duration.sum(uploadTimeout, skewAllowance)

/** The interval at which an upload checks if its post still waits for it. */
export const heldCheckInterval = Duration.seconds(5)

/** The first and the longest pause between single attempts on a host that does not respond. */
export const probePause = Duration.seconds(5)
export const maxProbePause = Duration.seconds(30)

/**
 * A claim is held this long before it is released while the database is unavailable. Otherwise it would be claimed
 * immediately, and again for as long as the same statement fails.
 */
export const releasePause = Duration.seconds(3)

/** The time that a stopping publisher waits for attempts in flight before it interrupts them. */
export const drainTimeout = Duration.seconds(8)

/** A process stops claiming after the database has refused outcomes for this long. */
export const refusedUntilNoClaims = Duration.seconds(5)

/** The pause between probes that check if the database stores anything. */
export const probeInterval = Duration.seconds(1)

/** A process then gives up its right to send, so that others take over its claims. */
export const refusedUntilNoLease = Duration.seconds(10)

/**
 * A refused outcome is kept this long. Others may have taken the claim over without knowing it, so it is stored by the
 * token of the send.
 */
export const outcomeKeptFor = Duration.minutes(10)

/** The interval of lease renewals, and of retries while the database is unavailable. */
export const renewInterval = Duration.seconds(5)
export const renewRetryInterval = Duration.seconds(1)

/**
 * A process stops claiming and sending this long before its lease ends, so that its requests have left or failed by
 * then.
 */
export const leaseMargin = Duration.seconds(10)

/** The longest gap between renewals in which the other processes could surely renew as well. */
export const maxRenewalGap = Duration.seconds(10)

/** For connecting to a platform. Shorter than `leaseMargin`. */
export const connectTimeout = Duration.seconds(5)
