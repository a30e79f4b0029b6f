import { Cause, Context, Effect, Layer, Logger, Metric, References, Tracer } from "effect"
import { send } from "../http/client.ts"

export interface LogEntry {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The log of a test, at every level. */
export class Log extends Context.Service<Log, ReadonlyArray<LogEntry>>()("test/Log") {}

/** Metrics of only this test, and its log. */
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

/** Metric values by name and labels as written. */
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

export const scrape = (url: string) => Effect.map(send(`${url}/metrics`), ({ text }) => readMetrics(text))

export const makeRecordingTracer = Effect.map(Effect.tracer, (native) => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = native.span(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
})
