import { Effect, Option } from "effect"
import { Headers, HttpMiddleware, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** What the connected proxy added itself stands last in a list; what stands before it anybody may have sent. */
const lastOf = (list: string): string => list.split(",").at(-1)?.trim() ?? ""

const saidByProxy = (request: Request): Request => {
  const said = {
    "x-forwarded-for": request.headers["x-forwarded-for"] ?? Option.getOrUndefined(request.peerAddress),
    "x-forwarded-host": request.headers["x-forwarded-host"],
    "x-forwarded-proto": request.headers["x-forwarded-proto"]
  }
  const believed = Object.entries(said).flatMap(([name, list]) =>
    list === undefined ? [] : [[name, lastOf(list)] as const]
  )
  return request.modify({ headers: Headers.setAll(request.headers, believed) })
}

const believe = HttpMiddleware.xForwardedHeaders({ trustedProxies: () => true })

/** Takes the caller's address, the protocol and the host from the proxy that is connected, and from nobody further away. */
export const trustedProxy = HttpRouter.middleware(
  <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>) =>
    Effect.updateService(believe(handler), HttpServerRequest.HttpServerRequest, saidByProxy),
  { global: true }
)
