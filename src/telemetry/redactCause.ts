import { Cause, Predicate } from "effect"
import { redactSecrets } from "../domain/redactSecrets.ts"

export const isStackFrame = (line: string): boolean => /^\s+at /.test(line)

/** Copies only the name, message, stack and cause: a PostgreSQL error also carries the row. */
const copyError = (error: Error): Error => {
  const message = redactSecrets(error.message)
  const copy = new Error(message, error.cause instanceof Error ? { cause: copyError(error.cause) } : {})
  const frames = (error.stack ?? "").replace(error.message, "").split("\n").filter(isStackFrame)
  copy.name = error.name
  copy.stack = [`${error.name}: ${message}`, ...frames].join("\n")
  return copy
}

/** An object that is not an error may hold any of the service's data. */
const withoutObject = (reason: Cause.Reason<unknown>): Cause.Reason<unknown> => {
  if (Cause.isInterruptReason(reason)) return reason
  const thrown = Cause.isFailReason(reason) ? reason.error : reason.defect
  return Predicate.isObjectOrArray(thrown) && !(thrown instanceof Error)
    ? Cause.makeDieReason(new Error("An object that is not an error was thrown"))
    : reason
}

export const redactCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    Cause.prettyErrors(Cause.fromReasons(cause.reasons.map(withoutObject))).map((error) =>
      Cause.makeDieReason(copyError(error))
    )
  )
