import { Effect, Layer, Option, References } from "effect"
import type { Configuration } from "../config.ts"
import { loggingLayer } from "./logging.ts"
import { processMetricsLayer } from "./processMetrics.ts"

export const telemetryLayer = (config: Configuration) => {
  const exporter = Option.match(config.otlpEndpoint, {
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
