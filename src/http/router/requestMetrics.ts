import { Effect, Metric } from "effect"

const requestDuration = Metric.histogram("http_request_duration_seconds", {
  description:
    "Time from a request's headers to its answer, by method, route and status; 499 is a client that went away",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const rateLimitRefusals = Metric.counter("rate_limit_refusals_total", {
  description: "Requests that were answered 429",
  incremental: true
})

const durations = new Map<string, Metric.Histogram<number>>()

/** Labelling a metric costs more than updating it, so each labelled one is kept: there is one for a route and its statuses. */
const durationOf = (method: string, route: string, status: string): Metric.Histogram<number> => {
  const key = `${method} ${route} ${status}`
  const known = durations.get(key)
  if (known !== undefined) return known
  const fresh = Metric.withAttributes(requestDuration, { method, route, status })
  durations.set(key, fresh)
  return fresh
}

/** Makes the counters stand at zero before anything is counted: an increase from nothing would be overlooked. */
export const exposeHttpMetrics = Metric.update(rateLimitRefusals, 0)

/** Counts an answered request. `route` is a template: what is in an address must not become a label. */
export const countRequest = (method: string, route: string, status: number, seconds: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(durationOf(method, route, String(status)), seconds),
    status === 429 ? Metric.update(rateLimitRefusals, 1) : Effect.void
  )
