import { Cause, Logger, Predicate } from "effect"
import { redactSecrets } from "../domain/redactSecrets.ts"
import { presentableCause } from "./presentableCause.ts"

/**
 * A logger that is told no more than what happened and where: errors come without the data that they carry, and objects
 * not at all. What belongs to an entry beside its words is annotated.
 */
export const safeLogger = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
    const errors = parts.filter((part) => part instanceof Error).map((error) => Cause.makeDieReason(error))
    const reasons = [...options.cause.reasons, ...errors]
    logger.log({
      ...options,
      message: parts
        .filter((part) => !Predicate.isObject(part))
        .map((part) => (Predicate.isString(part) ? redactSecrets(part) : part)),
      cause: reasons.length === 0 ? options.cause : presentableCause(Cause.fromReasons(reasons))
    })
  })
