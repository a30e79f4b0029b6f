import { Cause, Console, Duration, Effect, Layer, Logger, LogLevel, Option, Predicate, References } from "effect"
import type { Configuration } from "../config.ts"
import { redactSecrets } from "../domain/redactSecrets.ts"
import { redactCause } from "./redactCause.ts"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** JSON has no bigint. Annotations are strings and numbers; objects and arrays are not shown. */
const toJson = (value: unknown): unknown => {
  if (Predicate.isBigInt(value)) return String(value)
  return Predicate.isObjectOrArray(value) ? "…" : value
}

/**
 * The previous line's instant, cached because requests that are served together share it, and formatting takes a third
 * of a line's time.
 */
let lastInstant = { millis: Number.NaN, text: "" }

const formatInstant = (date: Date): string => {
  const millis = date.getTime()
  if (millis !== lastInstant.millis) lastInstant = { millis, text: date.toISOString() }
  return lastInstant.text
}

/** One line of JSON per entry. Annotations are members: `jq 'select(.request_id == "…")'` finds a request. */
export const jsonLine = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const entry: Record<string, unknown> = {
    timestamp: formatInstant(date),
    level: logLevel.toUpperCase(),
    message: (Array.isArray(message) ? message : [message]).join(" ")
  }
  // With a replacer, JSON.stringify takes several times as long for the whole line.
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  for (const name in annotations) entry[name] = toJson(annotations[name])
  if (cause.reasons.length > 0) entry["cause"] = Cause.pretty(cause)
  return JSON.stringify(entry)
})

/** True for an entry that is a single text, such as a request's. Only this text has to be redacted. */
const isOneText = (
  entry: Logger.Options<unknown>
): entry is Logger.Options<unknown> & { readonly message: readonly [string] } =>
  entry.cause.reasons.length === 0 &&
  Array.isArray(entry.message) &&
  entry.message.length === 1 &&
  Predicate.isString(entry.message[0])

/**
 * Logs without data: errors lose the data that they carry, other objects are dropped, and texts lose possible
 * credentials. Annotate an entry with its data.
 */
export const redactingLogger = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => {
    if (isOneText(options)) {
      const [text] = options.message
      const redacted = redactSecrets(text)
      return logger.log(redacted === text ? options : { ...options, message: [redacted] })
    }
    const parts: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
    const errors = parts.filter((part) => part instanceof Error).map((error) => Cause.makeDieReason(error))
    const reasons = [...options.cause.reasons, ...errors]
    logger.log({
      ...options,
      message: parts
        .filter((part) => !Predicate.isObject(part))
        .map((part) => (Predicate.isString(part) ? redactSecrets(part) : part)),
      cause: reasons.length === 0 ? options.cause : redactCause(Cause.fromReasons(reasons))
    })
  })

/** The time that a line waits for others in its batch. */
const batchWindow = Duration.millis(100)

/**
 * Logs warnings and errors immediately, others in batches. One write per line would take a tenth of a request's time. A
 * killed process may lose the waiting lines.
 */
const jsonLogger = Effect.map(
  Logger.batched(jsonLine, { window: batchWindow, flush: (lines) => Console.log(lines.join("\n")) }),
  (batched) => {
    const direct = Logger.withConsoleLog(jsonLine)
    return Logger.make<unknown, void>((options) =>
      LogLevel.isGreaterThanOrEqualTo(options.logLevel, "Warn") ? direct.log(options) : batched.log(options)
    )
  }
)

export const loggingLayer = ({ logFormat, logLevel }: Configuration) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  return Layer.mergeAll(
    Logger.layer([
      format === "pretty" ? redactingLogger(Logger.consolePretty()) : Effect.map(jsonLogger, redactingLogger)
    ]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )
}
