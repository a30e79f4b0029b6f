import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { makeBacklogMetrics } from "./backlogMetrics.ts"
import { exposeHttpMetrics } from "../router/requestMetrics.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** What Prometheus scrapes: figures about the whole service, so that whoever may reach the server may read them. */
export const metricsPage = Layer.unwrap(
  Effect.gen(function* () {
    const bringUpToDate = yield* makeBacklogMetrics
    yield* exposeHttpMetrics
    return HttpRouter.add(
      "GET",
      "/metrics",
      Effect.gen(function* () {
        yield* bringUpToDate
        return HttpServerResponse.text(yield* PrometheusMetrics.format(), { contentType })
      })
    )
  })
)
