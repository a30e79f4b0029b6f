import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { InProcess } from "../InProcess.ts"
import { fail } from "../problems.ts"
import { addHeaders } from "../responseHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest
type NodeRequest = ReturnType<typeof NodeHttpServerRequest.toIncomingMessage>

const maxHeaders = 100

/** These headers must not repeat, because some servers use the first value and others the last. */
const singleHeaders = ["host", "authorization", "content-type", "idempotency-key"]

/** Percent-encoded letters, digits and `-._~`. */
const needlesslyEncoded = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i

const validHost = /^(\[[\da-f:.]+\]|[\w.~%-]+)(:\d{1,5})?$/i

const findRepeated = (rawHeaders: ReadonlyArray<string>): string | undefined => {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const position = singleHeaders.indexOf((rawHeaders[index] ?? "").toLowerCase())
    if (position === -1) continue
    if ((seen & (1 << position)) !== 0) return singleHeaders[position]
    seen |= 1 << position
  }
  return undefined
}

/** A trusted proxy may have changed the request's host. */
type Host = string | undefined

/** Prevents request smuggling. Returns why servers on the way might read the request differently, or undefined. */
const findAmbiguity = ({ headers, httpVersion: version, rawHeaders }: NodeRequest, host: Host, url: string) => {
  const repeated = findRepeated(rawHeaders)
  const coding = headers["transfer-encoding"]
  if (version !== "1.1" && version !== "1.0") return "This is not an HTTP/1.1 request"
  if (repeated !== undefined) return `The header ${repeated} appears more than once`
  if (host === undefined ? version !== "1.0" : !validHost.test(host)) {
    return "The header Host has to name a host"
  }
  if (coding !== undefined && (version === "1.0" || coding.toLowerCase() !== "chunked")) {
    return "Transfer-Encoding may only be chunked, and only in HTTP/1.1"
  }
  return url.includes("#") ? "The URL of a request must not have a fragment" : undefined
}

const hasTooManyHeaders = ({ rawHeaders }: NodeRequest): boolean => rawHeaders.length > 2 * maxHeaders

export const isAmbiguous = (incoming: NodeRequest, host: Host, url: string): boolean =>
  hasTooManyHeaders(incoming) || findAmbiguity(incoming, host, url) !== undefined

/** The bytes after an ambiguous request may be a smuggled request, so the connection is closed. */
const closeConnection = addHeaders({ connection: "close" })

type Refusal = Problem.HeadersTooLarge | Problem.HttpsRequired | typeof Problem.shown.InvalidRequest.Type

const tooManyHeaders = Effect.andThen(
  closeConnection,
  fail(Problem.HeadersTooLarge, { detail: `There are more than ${maxHeaders} headers` })
)

const ambiguous = (detail: string) =>
  Effect.andThen(closeConnection, fail(Problem.shown.InvalidRequest, { detail, errors: [] }))

const httpsRequired = fail(Problem.HttpsRequired, { detail: "The request came to the proxy by plain HTTP; use https" })

/**
 * True if a proxy that protects a path sees the same path as the router. The router takes a semicolon for the start of
 * the query, drops a slash at the end, and decodes letters that need no encoding. The API's paths accept the last two,
 * which clients do send. They are safe there, because each API request needs a key or a session.
 */
const hasOneSpelling = (url: string): boolean => {
  const query = url.indexOf("?")
  const path = query === -1 ? url : url.slice(0, query)
  if (path.includes(";")) return false
  return path.startsWith("/v1/") || ((path === "/" || !path.endsWith("/")) && !needlesslyEncoded.test(path))
}

const findRefusal = (request: Request): Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal> | undefined => {
  const incoming = NodeHttpServerRequest.toIncomingMessage(request)
  if (hasTooManyHeaders(incoming)) return tooManyHeaders
  const detail = findAmbiguity(incoming, request.headers["host"], request.url)
  if (detail !== undefined) return ambiguous(detail)
  // Only `trustedProxyLayer` sets the protocol.
  if (request.protocol === "http") return httpsRequired
  return hasOneSpelling(request.url) && (incoming.url !== "*" || request.method === "OPTIONS")
    ? undefined
    : Effect.succeed(HttpServerResponse.empty({ status: 404 }))
}

/** Refuses requests that could smuggle others, or that a client sent to a trusted proxy over plain HTTP. */
export const requestGuardLayer = HttpRouter.middleware(
  <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
    Effect.contextWith(
      (
        context: Context.Context<HttpServerRequest.HttpServerRequest>
      ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Refusal> =>
        // A request within the process has passed no proxy.
        Context.get(context, InProcess)
          ? handler
          : (findRefusal(Context.get(context, HttpServerRequest.HttpServerRequest)) ?? handler)
    ),
  { global: true }
)
