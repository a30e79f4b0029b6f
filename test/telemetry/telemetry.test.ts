import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Option, Tracer } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type { Configuration } from "../../src/config.ts"
import { otlpCollector, receivedSpans } from "./otlpCollector.ts"
import { readMetrics } from "../support/telemetry/capturedTelemetry.ts"
import { telemetryLayer } from "../../src/telemetry/telemetry.ts"

const layerWith = (otlpEndpoint: string | undefined) =>
  telemetryLayer({
    logFormat: Option.none(),
    logLevel: "error",
    otlpEndpoint: Option.fromUndefinedOr(otlpEndpoint)
  } satisfies Partial<Configuration> as Configuration)

describe("telemetryLayer", () => {
  it.effect("Without a collector, nothing is traced", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.tracer, Tracer.nativeTracer)
    }).pipe(Effect.provide(layerWith(undefined)))
  )

  it.effect("Spans are sent to the collector before the process ends, without queries and messages", () =>
    Effect.gen(function* () {
      const { received, url } = yield* otlpCollector
      const traced = Effect.die(new Error("what a post says")).pipe(
        Effect.withSpan("work", {
          attributes: {
            "url.full": "https://x.test/2/tweets?q=what",
            "url.query": "q=what",
            "user_agent.original": "Bearer what"
          }
        }),
        Effect.ignoreCause
      )
      yield* Effect.provide(traced, layerWith(url))
      const [span] = receivedSpans(received)
      assert.strictEqual(span?.name, "work")
      const attributes = Object.fromEntries(span?.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [])
      assert.deepStrictEqual(attributes, {
        "url.full": "https://x.test/2/tweets",
        "user_agent.original": "Bearer …"
      })
      const sent = [...received.values()].flat().join("\n")
      assert.match(sent, /exception\.stacktrace.*telemetry\.test\.ts/)
      assert.notMatch(sent, /what/)
    })
  )

  it.effect("The metrics include the process's memory, CPU time and event loop lag", () =>
    Effect.gen(function* () {
      const metrics = readMetrics(yield* PrometheusMetrics.format())
      assert.isAbove(metrics.get("process_resident_memory_bytes") ?? 0, 1e6)
      assert.isAbove(metrics.get("nodejs_heap_used_bytes") ?? 0, 1e6)
      assert.isAbove(metrics.get("process_cpu_seconds_total") ?? 0, 0)
      assert.isAtLeast(metrics.get("nodejs_eventloop_lag_p99_seconds") ?? -1, 0)
    }).pipe(Effect.provide(Layer.provideMerge(layerWith(undefined), Layer.succeed(Metric.MetricRegistry, new Map()))))
  )
})
