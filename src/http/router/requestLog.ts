import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Context, Effect, Exit, Layer, LogLevel, Metric, References, Scope } from "effect"
import { HttpMiddleware, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { redactSecrets } from "../../domain/redactSecrets.ts"
import { InProcess } from "../InProcess.ts"
import { loggedFactsOf } from "../loggedFacts.ts"
import { timedOutRequests } from "../timedOutRequests.ts"
import { RouteTable } from "./RouteTable.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The route of every request that matches none. */
const unmatched = "unmatched"

/** Machines poll these paths every few seconds: they are logged at level debug and not traced, because they would bury the rest. */
const polledPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

/** nginx's non-standard status for a request whose client closed the connection before the response. */
export const clientClosedRequest = 499

const requestPath = ({ url }: Request): string => url.split("?", 1)[0] ?? ""

/** The template of a route. */
export const findRoute = (table: RouteTable["Service"], method: string, path: string): string =>
  table.findRoute(method, path) ?? unmatched

/** Names the spans of requests by their routes; polled paths have none. */
export const requestSpansLayer = Layer.unwrap(
  Effect.map(RouteTable, (table) =>
    Layer.merge(
      Layer.succeed(
        HttpMiddleware.SpanNameGenerator,
        (request) => `${request.method} ${findRoute(table, request.method, requestPath(request))}`
      ),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => polledPaths.has(requestPath(request)))
    )
  )
)

const requestDuration = Metric.histogram("http_request_duration_seconds", {
  description:
    "Time from a request's headers to its response, by method, route and status; 499 is a client that closed the connection",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const rateLimitRefusals = Metric.counter("rate_limit_refusals_total", {
  description: "Requests with the response 429",
  incremental: true
})

const durations = new Map<string, Metric.Histogram<number>>()

/** Labeled metrics are cached, because labeling one costs more than updating it. There is one per route, method and status. */
const durationMetric = (method: string, route: string, status: string): Metric.Histogram<number> => {
  const key = `${method} ${route} ${status}`
  const cached = durations.get(key)
  if (cached !== undefined) return cached
  const labeled = Metric.withAttributes(requestDuration, { method, route, status })
  durations.set(key, labeled)
  return labeled
}

interface Served {
  readonly method: string
  /** The route is a template: paths as labels would have no bound, and would show ids. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

const countRequest = ({ method, route, seconds, status }: Served, context: Context.Context<never>): void => {
  durationMetric(method, route, String(status)).updateUnsafe(seconds, context)
  if (status === 429) rateLimitRefusals.updateUnsafe(1, context)
}

/** A path without a segment longer than a UUID or a word, as all served paths are: it can't hold a secret. */
const harmlessPath = /^(?:\/(?:[\w.-]{0,23}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}))+$/i
const maxLoggedPath = 200

const loggedPath = (path: string): string =>
  (harmlessPath.test(path) ? path : redactSecrets(path)).slice(0, maxLoggedPath)

/** A request as it is observed. */
export interface Observed {
  /** Node's request. */
  readonly incoming: object
  readonly method: string
  readonly path: string
  /** The route's template. */
  readonly route: string
  readonly requestId: string
  /** When it arrived, by the monotonic clock. */
  readonly start: bigint
}

/** What log lines say about a request. */
const annotate = ({ method, path, requestId, route }: Observed) => ({
  request_id: requestId,
  method,
  route,
  path: loggedPath(path)
})

const levelOf = (route: string) => (polledPaths.has(route) ? "Debug" : "Info")

/**
 * Counts, times and logs a request when its status is known, in the context that it was received in. A function, because a plain
 * read has no fiber.
 */
export const recordRequest = (observed: Observed, finalStatus: number, context: Context.Context<never>): void => {
  const { incoming, method, route, start } = observed
  const status = timedOutRequests.has(incoming) ? 408 : finalStatus
  const seconds = Number(Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe() - start) / 1e9
  countRequest({ method, route, status, seconds }, context)
  // The line of the request that it belongs to tells of it.
  if (Context.get(context, InProcess)) return
  const level = levelOf(route)
  if (LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), level)) return
  const annotations = {
    ...Context.get(context, References.CurrentLogAnnotations),
    ...annotate(observed),
    ...loggedFactsOf(incoming),
    status,
    duration_ms: Math.round(seconds * 1e4) / 10
  }
  const annotated = Context.add(context, References.CurrentLogAnnotations, annotations)
  Effect.runForkWith(annotated)(Effect.logWithLevel(level)(`${method} ${route} ${status}`))
}

export type RequestObserver = Effect.Success<typeof makeRequestObserver>

/** Counts, times and logs requests, and describes them in all that is logged meanwhile. Omits the query. */
export const makeRequestObserver = Effect.gen(function* () {
  const table = yield* RouteTable
  // Starts the series at zero: Prometheus' increase() misses a series that first appears at 1.
  yield* Metric.update(rateLimitRefusals, 0)

  /** Begins to observe a request, in the context that it was received in; it may have arrived before. */
  return (request: Request, requestId: string, context: Context.Context<Scope.Scope>, arrived?: bigint) => {
    const { method } = request
    const path = requestPath(request)
    const observed: Observed = {
      incoming: NodeHttpServerRequest.toIncomingMessage(request),
      method,
      path,
      route: findRoute(table, method, path),
      requestId,
      start: arrived ?? Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe()
    }
    const annotations = annotate(observed)

    // The request's scope closes after the response is sent; no middleware sees a failure to send it. Where its client leaves, or the
    // server stops, sending is interrupted, and Effect adds the response to that as a defect.
    const logSendFailure = (exit: Exit.Exit<unknown, unknown>) =>
      Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasInterrupts(exit.cause)
        ? Effect.annotateLogs(Effect.logError("A response could not be sent", exit.cause), annotations)
        : Effect.void

    return {
      annotations,
      watchSending: Scope.addFinalizerExit(Context.get(context, Scope.Scope), logSendFailure),
      /** Counts and logs the request when its response is known. */
      record: <E>(exit: Exit.Exit<Response, E>): Effect.Effect<void> =>
        Effect.sync(() =>
          recordRequest(observed, Exit.isSuccess(exit) ? exit.value.status : clientClosedRequest, context)
        )
    }
  }
})
