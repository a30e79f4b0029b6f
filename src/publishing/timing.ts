import { Duration } from "effect"
import { longestOperation } from "../platforms/call.ts"

export { pollInterval } from "../domain/pollInterval.ts"

/** The longest that making a post ready to be sent may take, looking up mentioned accounts included. */
export const prepareTimeout = Duration.seconds(45)

/** The longest that one send, or one look for an earlier send, may take. */
export const sendTimeout = Duration.sum(longestOperation, Duration.seconds(10))

/** How far the clock of a process may be behind the database's. */
export const skewAllowance = Duration.seconds(90)

/** How long a claim is this process's alone, by the database's clock; it starts again when sending begins. */
export const lease = Duration.sum(Duration.max(prepareTimeout, sendTimeout), skewAllowance)

/** How long an interrupted publisher waits for what is in flight. */
export const drainTimeout = Duration.seconds(8)
