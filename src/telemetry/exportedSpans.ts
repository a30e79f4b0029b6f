import type { KeyValue } from "effect/observability/OtlpResource"
import type { TraceData } from "effect/observability/OtlpTracer"
import { redactSecrets } from "../domain/redactSecrets.ts"

type Span = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

/** Queries carry codes, tokens and names of people, in the names of parameters as well as in their values. */
const isQuery = ({ key }: KeyValue): boolean => key === "url.query"
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? ""

const attribute = ({ key, value }: KeyValue): KeyValue => {
  const text = value.stringValue
  if (typeof text !== "string") return { key, value }
  return { key, value: { stringValue: redactSecrets(key.startsWith("url.") ? withoutQuery(text) : text) } }
}

/** A message may say what a text or a row was like; it stands in the log, made presentable, under the same trace id. */
const isMessage = ({ key }: KeyValue): boolean => key === "exception.message"
const withoutMessage = ({ key, value }: KeyValue): KeyValue =>
  key === "exception.stacktrace" && typeof value.stringValue === "string"
    ? {
        key,
        value: {
          stringValue: value.stringValue
            .split("\n")
            .filter((line) => /^\s+at /.test(line))
            .join("\n")
        }
      }
    : { key, value }

const span = (one: Span): Span => ({
  ...one,
  attributes: one.attributes.filter((each) => !isQuery(each)).map(attribute),
  events: one.events.map((event) => ({
    ...event,
    attributes: event.attributes.filter((each) => !isMessage(each)).map(withoutMessage)
  })),
  status: { code: one.status.code }
})

/** Spans as they may leave the process: where and how long, and of which kind an error was, but no query and no message. */
export const withoutContents = (data: TraceData): TraceData => ({
  resourceSpans: data.resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(span) }))
  }))
})
