import { Effect, Option } from "effect"
import { Headers, HttpMiddleware, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** The last entry is the proxy's own. Earlier ones come from the request, so anybody can forge them. */
export const lastEntry = (list: string): string => list.split(",").at(-1)?.trim() ?? ""

const keepLastEntries = (request: Request): Request => {
  const forwarded = {
    "x-forwarded-for": request.headers["x-forwarded-for"] ?? Option.getOrUndefined(request.peerAddress),
    "x-forwarded-host": request.headers["x-forwarded-host"],
    "x-forwarded-proto": request.headers["x-forwarded-proto"]
  }
  const entries = Object.entries(forwarded).flatMap(([name, list]) =>
    list === undefined ? [] : [[name, lastEntry(list)] as const]
  )
  return request.modify({ headers: Headers.setAll(request.headers, entries) })
}

const readForwarded = HttpMiddleware.xForwardedHeaders({ trustedProxies: () => true })

/** Takes the client's address, protocol and host from the proxy that is connected, and from no other proxy. */
export const trustedProxyLayer = HttpRouter.middleware(
  <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>) =>
    Effect.updateService(readForwarded(handler), HttpServerRequest.HttpServerRequest, keepLastEntries),
  { global: true }
)
