import { Duration } from "effect"
import { maxOperationTime } from "../platforms/call.ts"

/** Timeout of preparing a post, which includes looking up mentioned accounts. */
export const prepareTimeout = Duration.seconds(45)

/** Timeout of one send or one reconciliation. */
export const sendTimeout = Duration.sum(maxOperationTime, Duration.seconds(10))

/** How far a process's clock may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/** How long a claim is exclusive to its process, by the database's clock. Starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** How long a publisher that shuts down waits for attempts in flight before it interrupts them. */
export const drainTimeout = Duration.seconds(8)
