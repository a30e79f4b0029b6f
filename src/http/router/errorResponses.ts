import { ByteSize, Cause, Effect, Option, type Scope } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { observed } from "./requestLog.ts"
import { RequestId, requestIdOf } from "../RequestId.ts"
import { RouteTable } from "./RouteTable.ts"
import { withStatusProblem } from "./statusProblem.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const largestBody = ByteSize.mebibytes(1)

const secondsToRetryAfter = "5"

const isNotServed = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    (error) => HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
  )

const notServed = (request: Request, methods: ReadonlyArray<string>): Response =>
  methods.length === 0
    ? HttpServerResponse.empty({ status: 404 })
    : HttpServerResponse.empty({
        status: request.method === "OPTIONS" ? 204 : 405,
        headers: { allow: methods.join(", ") }
      })

const failed = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const [response] = yield* HttpServerError.causeResponse(cause)
  if (response.status >= 500 && !Cause.hasInterruptsOnly(cause)) yield* Effect.logError("A request failed", cause)
  return response
})

const headersFor = (request: Request, response: Response): Record<string, string> => {
  switch (response.status) {
    case 401: {
      const error = request.headers["authorization"] === undefined ? "" : ', error="invalid_token"'
      return { "www-authenticate": `Bearer realm="social-publisher"${error}` }
    }
    case 503:
      return { "retry-after": response.headers["retry-after"] ?? secondsToRetryAfter }
    default:
      return {}
  }
}

const answer = <E>(
  handler: Effect.Effect<Response, E>,
  table: RouteTable["Service"]
): Effect.Effect<Response, E, HttpServerRequest.HttpServerRequest | Scope.Scope> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const requestId = yield* requestIdOf(request)
    const response = yield* handler.pipe(
      Effect.catchCause((cause) =>
        isNotServed(cause) ? Effect.succeed(notServed(request, table.methodsOf(request.url))) : failed(cause)
      ),
      Effect.flatMap((spoken) => withStatusProblem(spoken, requestId)),
      observed(table, request, requestId),
      Effect.provideService(RequestId, requestId),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody)
    )
    return HttpServerResponse.setHeaders(response, { ...headersFor(request, response), "x-request-id": requestId })
  })

/**
 * What holds for every answer of every route: it names the request's id, an error is a problem that leaks nothing and
 * carries the headers that belong to its status, no body over 1 MiB is read, and all is counted and logged.
 */
export const errorResponses = HttpRouter.middleware(
  Effect.map(
    RouteTable,
    (table) =>
      <E>(handler: Effect.Effect<Response, E>) =>
        answer(handler, table)
  ),
  { global: true }
)
