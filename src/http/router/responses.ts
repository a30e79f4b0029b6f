import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Option, References, type Scope } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { CurrentRequester } from "../../domain/requester.ts"
import { fail } from "../problems.ts"
import { chooseRequestId, RequestId } from "../RequestId.ts"
import { AddedHeaders, hstsHeader, securityHeaders } from "../responseHeaders.ts"
import { asksForPage, notFoundPage } from "../pages/notFoundPage.ts"
import { isOAuthPath, noOAuth, noOAuthPage } from "../pages/noOAuth.ts"
import { makeRequestObserver, type RequestObserver } from "./requestLog.ts"
import { RouteTable } from "./RouteTable.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

interface CountedRead {
  readonly requestId: string
  /** The time of arrival, by the monotonic clock. */
  readonly start: bigint
  readonly headers: Readonly<Record<string, string>>
  readonly rest: Effect.Effect<Response, never, Request | Scope.Scope>
}

/**
 * Fast reads that were counted before the router got them, by Node's request. They must not be counted or read again.
 */
export const countedReads = new WeakMap<object, CountedRead>()

const defaultRetryAfterSeconds = "5"

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    (error) => HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
  )

const routeNotFound = (request: Request, methods: ReadonlyArray<string>): Response =>
  methods.length === 0
    ? HttpServerResponse.empty({ status: 404 })
    : HttpServerResponse.empty({
        status: request.method === "OPTIONS" ? 204 : 405,
        headers: { allow: methods.join(", ") }
      })

const failureResponse = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const [response] = yield* HttpServerError.causeResponse(cause)
  if (response.status >= 500 && !Cause.hasInterruptsOnly(cause)) yield* Effect.logError("A request failed", cause)
  return response
})

const explainNotFound = (url: string): string => {
  if (isOAuthPath(url)) return noOAuth
  return /^\/mcp\/(?:\?|$)/.test(url)
    ? "The address of the server of agents is /mcp, without a slash at its end"
    : "There is nothing at this URL; /docs lists the URLs of the API"
}

const notFound = (url: string) => fail(Problem.shown.NotFound, { detail: explainNotFound(url) })

const statusProblems: Readonly<Record<number, Effect.Effect<never, HttpServerRespondable.Respondable>>> = {
  400: fail(Problem.shown.InvalidRequest, { detail: "The request could not be read", errors: [] }),
  405: fail(Problem.MethodNotAllowed, { detail: "The header Allow lists the methods of this address" }),
  413: fail(Problem.PayloadTooLarge, { detail: "A body may have 1 MiB at most" }),
  415: fail(Problem.UnsupportedMediaType, { detail: "This address does not take a body of this type" }),
  503: fail(Problem.Unavailable, { detail: "The service is not available right now" })
}

const internal = fail(Problem.Internal, { detail: "The service failed; what happened was logged" })

const findStatusProblem = (status: number, url: string) =>
  status === 404 ? notFound(url) : (statusProblems[status] ?? (status < 500 ? undefined : internal))

const hasProblemBody = ({ body }: Response): boolean =>
  body._tag !== "Empty" && body.contentType?.startsWith("text/plain") !== true

/**
 * Some error responses have no body, or only the plain text of Effect's router. They get the problem of their status,
 * or a page if a browser requests one.
 */
const withStatusProblem = (request: Request, response: Response): Effect.Effect<Response> => {
  if (response.status === 404 && !hasProblemBody(response) && asksForPage(request)) {
    return Effect.succeed(isOAuthPath(request.url) ? noOAuthPage : notFoundPage)
  }
  const problem =
    response.status < 400 || hasProblemBody(response) ? undefined : findStatusProblem(response.status, request.url)
  if (problem === undefined) return Effect.succeed(response)
  return Effect.catch(problem, HttpServerRespondable.toResponse).pipe(
    Effect.map((rendered) => HttpServerResponse.setHeaders(rendered, { ...response.headers, ...rendered.headers }))
  )
}

export const defaultHeaders = (hsts: boolean): Readonly<Record<string, string>> => ({
  ...securityHeaders,
  ...(hsts ? hstsHeader : {})
})

const statusHeaders = (request: Request, response: Response): Record<string, string> => {
  switch (response.status) {
    case 401: {
      const error = request.headers["authorization"] === undefined ? "" : ', error="invalid_token"'
      return { "www-authenticate": `Bearer realm="social-publisher"${error}` }
    }
    case 503:
      return { "retry-after": response.headers["retry-after"] ?? defaultRetryAfterSeconds }
    default:
      return {}
  }
}

/** A response's own headers come first, and replace defaults. */
const finalHeaders = (
  defaults: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  requestId: string,
  added: Readonly<Record<string, string>>
) => ({ ...own, ...defaults, ...own, "x-request-id": requestId, ...added })

/**
 * Like `finalHeaders`, for a response that replaces no default. Returns a list that alternates between names and
 * values. Node sends a list as it is; an object of headers takes several times as long.
 */
export const makeHeaderList = (defaults: Readonly<Record<string, string>>) => {
  const fixed = Object.entries(defaults).flat()
  return (own: ReadonlyArray<string>, requestId: string, added: Readonly<Record<string, string>>) => {
    const list = [...own, ...fixed, "x-request-id", requestId]
    for (const name in added) list.push(name, added[name] ?? "")
    return list
  }
}

interface Options {
  readonly table: RouteTable["Service"]
  readonly observe: RequestObserver
  readonly defaults: Readonly<Record<string, string>>
}

const annotateSpan = Effect.flatMap(RequestId, (id) => Effect.annotateCurrentSpan("request.id", id))

/** These effects are built once, so that each request runs fewer steps. Each step takes part of a microsecond. */
const respond = <E>(
  handler: Effect.Effect<Response, E>,
  { defaults, observe, table }: Options
): Effect.Effect<Response, E, HttpServerRequest.HttpServerRequest | Scope.Scope> => {
  const respondTo = <E2, R>(handling: Effect.Effect<Response, E2, R>) =>
    handling.pipe(
      Effect.catchCause((cause) =>
        isRouteNotFound(cause)
          ? Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
              routeNotFound(request, table.findMethods(request.url))
            )
          : failureResponse(cause)
      ),
      Effect.filterOrElse(
        ({ status }) => status < 400,
        (response) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => withStatusProblem(request, response))
      )
    )
  const handled = respondTo(handler)
  const traced = Effect.andThen(annotateSpan, handled)
  return Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const counted = countedReads.get(NodeHttpServerRequest.toIncomingMessage(request))
    const requestId = counted?.requestId ?? chooseRequestId(request.headers)
    const added: Record<string, string> = { ...counted?.headers }
    const { annotations, record, watchSending } = observe(request, requestId, context, counted?.start)
    const routed = Context.get(context, References.TracerEnabled) ? traced : handled
    return watchSending.pipe(
      // This read can be interrupted, because its client may leave.
      Effect.andThen(counted === undefined ? routed : respondTo(Effect.interruptible(counted.rest))),
      Effect.onExit(record),
      Effect.updateContext((current: typeof context) =>
        current.pipe(
          Context.add(RequestId, requestId),
          Context.add(AddedHeaders, added),
          Context.add(CurrentRequester, "unknown"),
          Context.add(References.CurrentLogAnnotations, annotations)
        )
      ),
      Effect.map((response) =>
        HttpServerResponse.setHeaders(
          response,
          finalHeaders(defaults, { ...response.headers, ...statusHeaders(request, response) }, requestId, added)
        )
      )
    )
  })
}

/**
 * Adds the request's id and the security headers to every response. Turns every error into a problem that reveals no
 * internals and has the headers of its status. Counts, logs and traces every request. Until a request is authenticated,
 * it takes its turns as an unknown caller.
 */
export const responsesLayer = ({ hsts }: { readonly hsts: boolean }) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const table = yield* RouteTable
      const observe = yield* makeRequestObserver
      return <E>(handler: Effect.Effect<Response, E>) =>
        respond(handler, { table, observe, defaults: defaultHeaders(hsts) })
    }),
    { global: true }
  )
