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

const unmatched = "unmatched"

/**
 * Machines request these paths every few seconds. These requests are not traced, and logged only at level debug,
 * because they would bury all others.
 */
const polledPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

/** nginx's non-standard status for a client that left before its response. */
export const clientClosedRequest = 499

const requestPath = ({ url }: Request): string => url.split("?", 1)[0] ?? ""

export const findRoute = (table: RouteTable["Service"], method: string, path: string): string =>
  table.findRoute(method, path) ?? unmatched

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

interface Series {
  readonly duration: Metric.Histogram<number>
  readonly log: Effect.Effect<void>
}

const levelOf = (route: string) => (polledPaths.has(route) ? "Debug" : "Info")

const makeSeries = (method: string, route: string, status: number): Series => ({
  duration: Metric.withAttributes(requestDuration, { method, route, status: String(status) }),
  log: Effect.logWithLevel(levelOf(route))(`${method} ${route} ${status}`)
})

const allSeries = new Map<string, Map<string, Map<number, Series>>>()

const getOrAdd = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/**
 * Caches series, because making one costs more than using it. The maps are nested, because joining the three keys costs
 * more than three look-ups.
 */
const seriesOf = (method: string, route: string, status: number): Series => {
  const ofRoute = getOrAdd(allSeries, route, () => new Map<string, Map<number, Series>>())
  const ofMethod = getOrAdd(ofRoute, method, () => new Map<number, Series>())
  return getOrAdd(ofMethod, status, () => makeSeries(method, route, status))
}

/**
 * A path whose segments are UUIDs or at most as long as a word, like all paths of the service. It can't contain a
 * secret.
 */
const harmlessPath = /^(?:\/(?:[\w.-]{0,23}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}))+$/i
const maxLoggedPath = 200

const loggedPath = (path: string): string =>
  (harmlessPath.test(path) ? path : redactSecrets(path)).slice(0, maxLoggedPath)

export interface Observed {
  readonly incoming: object
  readonly method: string
  readonly path: string
  readonly route: string
  readonly requestId: string
  /** The time of arrival, by the monotonic clock. */
  readonly start: bigint
}

const annotate = ({ method, path, requestId, route }: Observed) => ({
  request_id: requestId,
  method,
  route,
  path: loggedPath(path)
})

/**
 * Counts, times and logs a request, in the context in which it arrived. A plain function, because a fast read runs
 * without a fiber.
 */
export const recordRequest = (observed: Observed, finalStatus: number, context: Context.Context<never>): void => {
  const { incoming, method, route, start } = observed
  const status = timedOutRequests.has(incoming) ? 408 : finalStatus
  const seconds = Number(Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe() - start) / 1e9
  const series = seriesOf(method, route, status)
  series.duration.updateUnsafe(seconds, context)
  if (status === 429) rateLimitRefusals.updateUnsafe(1, context)
  // A request within the process appears in the log line of the request to which it belongs.
  if (Context.get(context, InProcess)) return
  if (LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), levelOf(route))) return
  const annotations = {
    ...Context.get(context, References.CurrentLogAnnotations),
    ...annotate(observed),
    ...loggedFactsOf(incoming),
    status,
    duration_ms: Math.round(seconds * 1e4) / 10
  }
  Effect.runForkWith(Context.add(context, References.CurrentLogAnnotations, annotations))(series.log)
}

export type RequestObserver = Effect.Success<typeof makeRequestObserver>

export const makeRequestObserver = Effect.gen(function* () {
  const table = yield* RouteTable
  // Begins at 0, because Prometheus' increase() misses the first count of a series that begins at 1.
  yield* Metric.update(rateLimitRefusals, 0)

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

    // The request's scope closes after the response is sent. No middleware sees that sending failed. If the client
    // leaves or the server stops, sending is interrupted, and Effect adds the response to the interruption as a defect.
    const logSendFailure = (exit: Exit.Exit<unknown, unknown>) =>
      Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasInterrupts(exit.cause)
        ? Effect.annotateLogs(Effect.logError("A response could not be sent", exit.cause), annotations)
        : Effect.void

    return {
      annotations,
      watchSending: Scope.addFinalizerExit(Context.get(context, Scope.Scope), logSendFailure),
      record: <E>(exit: Exit.Exit<Response, E>): Effect.Effect<void> =>
        Effect.sync(() =>
          recordRequest(observed, Exit.isSuccess(exit) ? exit.value.status : clientClosedRequest, context)
        )
    }
  }
})
