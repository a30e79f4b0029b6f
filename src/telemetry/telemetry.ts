import { Effect, Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { logging } from "./logging.ts"
import { processMetrics } from "./processMetrics.ts"

/** Logs, the figures of the process and, where a collector is configured, traces; what exports is not even loaded otherwise. */
export const telemetry = (config: Configuration) => {
  const exported = Option.match(config.otlpEndpoint, {
    onNone: () => Layer.empty,
    onSome: (endpoint) =>
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./otlp.ts")),
          ({ otlp }) => otlp(endpoint)
        )
      )
  })
  return Layer.merge(exported, processMetrics).pipe(Layer.provideMerge(logging(config)))
}
