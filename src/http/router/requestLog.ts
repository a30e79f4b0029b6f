import { Cause, Clock, Effect, Exit, Layer, LogLevel, References, Scope } from "effect"
import { HttpMiddleware, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { redactSecrets } from "../../domain/redactSecrets.ts"
import { countRequest } from "./requestMetrics.ts"
import { RouteTable } from "./RouteTable.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What stands for all addresses at which nothing is served. */
const unmatched = "unmatched"

/** Asked every few seconds by machines: traces and an ordinary log would be full of them. */
const quiet: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

/** By custom the status of a request whose client did not wait for the answer. */
const clientLeft = 499

const pathOf = ({ url }: Request): string => url.split("?", 1)[0] ?? ""

const routeOf = (table: RouteTable["Service"], request: Request): string =>
  table.routeOf(request.method, pathOf(request)) ?? unmatched

/** Gives spans of requests the names of their routes; a request that only asks how the service is has none. */
export const requestSpans = Layer.unwrap(
  Effect.map(RouteTable, (table) =>
    Layer.merge(
      Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => `${request.method} ${routeOf(table, request)}`),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => quiet.has(pathOf(request)))
    )
  )
)

/** Paths of which no part is longer than a UUID or a word, as every real one is: nothing has to be taken out of these. */
const plain = /^(?:\/(?:[\w.-]{0,23}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}))+$/i
const longest = 200

const shownPath = (path: string): string => (plain.test(path) ? path : redactSecrets(path)).slice(0, longest)

/**
 * Counts, times and logs a request under its id, and puts the id on what is logged and traced meanwhile. The query is left
 * out of all of it.
 */
export const observed =
  (table: RouteTable["Service"], request: Request, requestId: string) =>
  <E, R>(answered: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R | Scope.Scope> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const { method } = request
      const route = routeOf(table, request)
      const level = quiet.has(route) ? "Debug" : "Info"
      const began = clock.monotonicTimeNanosUnsafe()

      const log = (status: number, seconds: number) =>
        Effect.annotateLogs(Effect.logWithLevel(level)(`${method} ${route} ${status}`), {
          status,
          duration_ms: Math.round(seconds * 1e4) / 10
        })

      const ended = (exit: Exit.Exit<Response, E>) => {
        const status = Exit.isSuccess(exit) ? exit.value.status : clientLeft
        const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
        const counted = countRequest(method, route, status, seconds)
        return LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), level)
          ? counted
          : Effect.andThen(counted, log(status, seconds))
      }

      const told = Effect.annotateLogs({
        request_id: requestId,
        method,
        route,
        path: shownPath(pathOf(request))
      })

      // The scope of a request is closed once its answer is sent; what goes wrong while it is, no middleware sees.
      const sent = (exit: Exit.Exit<unknown, unknown>) =>
        Exit.isFailure(exit) && Cause.hasDies(exit.cause)
          ? told(Effect.logError("An answer could not be sent", exit.cause))
          : Effect.void

      return Effect.flatMap(Scope.Scope, (scope) => Scope.addFinalizerExit(scope, sent)).pipe(
        Effect.andThen(Effect.annotateCurrentSpan("request.id", requestId)),
        Effect.andThen(answered),
        Effect.onExit(ended),
        told
      )
    })
