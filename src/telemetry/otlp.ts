import { NodeHttpClient } from "@effect/platform-node"
import { Duration, Effect, Layer, Logger, Tracer } from "effect"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { withoutContents } from "./exportedSpans.ts"
import { safeLogger } from "./safeLogger.ts"

const resource = { serviceName: "social-publisher" }

/** A collector that does not answer must not keep the process from ending. */
const shutdownTimeout = Duration.seconds(1)

const serialization = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (inner) => ({
    ...inner,
    traces: (data) => inner.traces(withoutContents(data))
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

/** Sends traces, and logs beside where they go anyway, to an OTLP collector over HTTP. */
export const otlp = (endpoint: string) =>
  Layer.merge(
    Layer.effect(Tracer.Tracer, OtlpTracer.make({ url: `${endpoint}/v1/traces`, resource, shutdownTimeout })),
    Logger.layer([Effect.map(OtlpLogger.make({ url: `${endpoint}/v1/logs`, resource, shutdownTimeout }), safeLogger)], {
      mergeWithExisting: true
    })
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, serialization, NodeHttpClient.layerUndici]))
