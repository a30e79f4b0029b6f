import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Layer, Logger, Tracer } from "effect"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import type { KeyValue } from "effect/observability/OtlpResource"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { redactSecrets } from "../domain/redactSecrets.ts"
import { redactingLogger } from "./logging.ts"
import { isStackFrame } from "./redactCause.ts"

const resource = { serviceName: "social-publisher" }

/** Short, so that an unresponsive collector does not keep the process from ending. */
const shutdownTimeout = Duration.seconds(1)

/** The queries of URLs hold codes, tokens and people's names, in parameter names as well as in values. */
const isQuery = ({ key }: KeyValue): boolean => key === "url.query"
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? ""

const redactAttribute = ({ key, value }: KeyValue): KeyValue => {
  const text = value.stringValue
  if (typeof text !== "string") return { key, value }
  return { key, value: { stringValue: redactSecrets(key.startsWith("url.") ? withoutQuery(text) : text) } }
}

/** A message may quote a text or a row. The log has it redacted, under the same trace id. */
const isMessage = ({ key }: KeyValue): boolean => key === "exception.message"

/** A stack trace begins with the message. */
const withoutMessage = ({ key, value }: KeyValue): KeyValue =>
  key === "exception.stacktrace" && typeof value.stringValue === "string"
    ? { key, value: { stringValue: value.stringValue.split("\n").filter(isStackFrame).join("\n") } }
    : { key, value }

type Span = OtlpTracer.TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

const redactSpan = (span: Span): Span => ({
  ...span,
  attributes: span.attributes.filter((attribute) => !isQuery(attribute)).map(redactAttribute),
  events: span.events.map((event) => ({
    ...event,
    attributes: event.attributes.filter((attribute) => !isMessage(attribute)).map(withoutMessage)
  })),
  status: { code: span.status.code }
})

const redactTraces = (data: OtlpTracer.TraceData): OtlpTracer.TraceData => ({
  resourceSpans: data.resourceSpans.map((resourceSpan) => ({
    ...resourceSpan,
    scopeSpans: resourceSpan.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(redactSpan) }))
  }))
})

const serializationLayer = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (inner) => ({
    ...inner,
    traces: (data) => inner.traces(redactTraces(data))
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

export const otlpLayer = (endpoint: string) =>
  Layer.merge(
    Layer.effect(Tracer.Tracer, OtlpTracer.make({ url: `${endpoint}/v1/traces`, resource, shutdownTimeout })),
    Logger.layer(
      [Effect.map(OtlpLogger.make({ url: `${endpoint}/v1/logs`, resource, shutdownTimeout }), redactingLogger)],
      { mergeWithExisting: true }
    )
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, serializationLayer, NodeHttpClient.layerUndici]))
