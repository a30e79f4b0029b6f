import { Cause, Context, Effect, Layer, Logger, Metric, References } from "effect"
import { send } from "../http/client.ts"

/** One entry of a log. */
export interface LogEntry {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** What is logged from here on, at every level. */
export class Log extends Context.Service<Log, ReadonlyArray<LogEntry>>()("test/Log") {}

/** Figures that are this test's alone, and its log. */
export const capturedTelemetryLayer = Layer.unwrap(
  Effect.sync(() => {
    const log: Array<LogEntry> = []
    const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
      log.push({
        level: logLevel,
        message: (Array.isArray(message) ? message : [message]).map(String).join(" "),
        cause: Cause.pretty(cause),
        annotations: fiber.getRef(References.CurrentLogAnnotations)
      })
    })
    return Layer.mergeAll(
      Layer.succeed(Log, log),
      Layer.succeed(Metric.MetricRegistry, new Map()),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Logger.layer([logger])
    )
  })
)

/** What a scrape shows: the value of each series, by name and labels as they are written. */
export const readMetrics = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ")
        return [line.slice(0, at), Number(line.slice(at + 1))]
      })
  )

/** Scrapes a server. */
export const scrape = (url: string) => Effect.map(send(`${url}/metrics`), ({ text }) => readMetrics(text))
