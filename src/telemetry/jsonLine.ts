import { Cause, Logger, Predicate, References } from "effect"

/** Annotations are words and numbers; of anything else only its place is shown. */
const shown = (key: string, value: unknown): unknown => {
  if (Predicate.isBigInt(value)) return String(value)
  return key !== "" && Predicate.isObjectOrArray(value) ? "…" : value
}

/** An entry as one line of JSON, its annotations beside the message: `jq 'select(.request_id == "…")'` finds a request's. */
export const jsonLine = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) =>
  JSON.stringify(
    {
      timestamp: date.toISOString(),
      level: logLevel.toUpperCase(),
      message: (Array.isArray(message) ? message : [message]).join(" "),
      ...fiber.getRef(References.CurrentLogAnnotations),
      ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
    },
    shown
  )
)
