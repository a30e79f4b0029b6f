import { Cause, Predicate } from "effect"
import { redactSecrets } from "../domain/redactSecrets.ts"

const isFrame = (line: string): boolean => /^\s+at /.test(line)

/** A copy that has its name, message, stack and cause, and nothing else: an error of PostgreSQL carries the row it is about. */
const copyOf = (error: Error): Error => {
  const message = redactSecrets(error.message)
  const copy = new Error(message, error.cause instanceof Error ? { cause: copyOf(error.cause) } : {})
  const frames = (error.stack ?? "").replace(error.message, "").split("\n").filter(isFrame)
  copy.name = error.name
  copy.stack = [`${error.name}: ${message}`, ...frames].join("\n")
  return copy
}

/** An object that is no error may be any of our data. */
const withoutObject = (reason: Cause.Reason<unknown>): Cause.Reason<unknown> => {
  if (Cause.isInterruptReason(reason)) return reason
  const thrown = Cause.isFailReason(reason) ? reason.error : reason.defect
  return Predicate.isObjectOrArray(thrown) && !(thrown instanceof Error)
    ? Cause.makeDieReason(new Error("Something that is no error was thrown"))
    : reason
}

/** A cause that says what happened and where, without the data it happened to. */
export const presentableCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    Cause.prettyErrors(Cause.fromReasons(cause.reasons.map(withoutObject))).map((error) =>
      Cause.makeDieReason(copyOf(error))
    )
  )
