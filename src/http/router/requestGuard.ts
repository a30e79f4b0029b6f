import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { fail } from "../problems.ts"
import { addHeaders } from "../responseHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

const maxHeaders = 100

/** Headers of which some servers use the first and some the last. */
const singleHeaders = ["host", "authorization", "content-type", "idempotency-key"]

const validHost = /^(\[[\da-f:.]+\]|[\w.~%-]+)(:\d{1,5})?$/i

/** Prevents request smuggling: why servers on the way may read the request in different ways, or undefined. */
const findAmbiguity = ({ headers, url }: Request, version: string, names: ReadonlyArray<string>) => {
  const repeated = singleHeaders.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const coding = headers["transfer-encoding"]
  if (version !== "1.1" && version !== "1.0") return "This is not an HTTP/1.1 request"
  if (repeated !== undefined) return `The header ${repeated} appears more than once`
  if (headers["host"] === undefined ? version !== "1.0" : !validHost.test(headers["host"])) {
    return "The header Host has to name a host"
  }
  if (coding !== undefined && (version === "1.0" || coding.toLowerCase() !== "chunked")) {
    return "Transfer-Encoding may only be chunked, and only in HTTP/1.1"
  }
  return url.includes("#") ? "The URL of a request must not have a fragment" : undefined
}

/** What follows an ambiguous request may be a smuggled one, so it is not read. */
const closeConnection = addHeaders({ connection: "close" })

const check = Effect.fnUntraced(function* (request: Request) {
  const { httpVersion, rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  if (names.length > maxHeaders) {
    yield* closeConnection
    return yield* fail(Problem.HeadersTooLarge, { detail: `There are more than ${maxHeaders} headers` })
  }
  const detail = findAmbiguity(request, httpVersion, names)
  if (detail !== undefined) {
    yield* closeConnection
    return yield* fail(Problem.InvalidRequest, { detail, errors: [] })
  }
})

/** Refuses what could be used for request smuggling, and what reached a trusted proxy by plain HTTP. */
export const requestGuardLayer = HttpRouter.middleware(
  <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* check(request)
      // Set by `trustedProxyLayer` only.
      if (request.protocol === "http") {
        return yield* fail(Problem.HttpsRequired, { detail: "The request came to the proxy by plain HTTP; use https" })
      }
      // The router takes a semicolon for the start of the query; a proxy that protects a path does not.
      const [path = ""] = request.url.split("?", 1)
      return path.includes(";") ? HttpServerResponse.empty({ status: 404 }) : yield* handler
    }),
  { global: true }
)
