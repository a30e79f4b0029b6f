import { Effect, Layer, Option, References } from "effect"
import type { Configuration } from "../config.ts"
import { loggingLayer } from "./logging.ts"
import { processMetricsLayer } from "./processMetrics.ts"

/** Logs, process metrics, and traces if a collector is configured. The exporter is loaded only then. */
export const telemetryLayer = (config: Configuration) => {
  const exporter = Option.match(config.otlpEndpoint, {
    // Nobody would see the spans.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (endpoint) =>
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./otlp.ts")),
          ({ otlpLayer }) => otlpLayer(endpoint)
        )
      )
  })
  return Layer.merge(exporter, processMetricsLayer).pipe(Layer.provideMerge(loggingLayer(config)))
}
