import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HeadersTooLarge, HttpsRequired, InvalidRequest } from "../../api/problems.ts"
import { addHeaders } from "../responseHeaders.ts"
import { type Message, misreading } from "./misreading.ts"
import { RequestId } from "../RequestId.ts"

const mostHeaders = 100

const close = addHeaders({ connection: "close" })

const check = (message: Message) =>
  Effect.gen(function* () {
    const request_id = yield* RequestId
    if (message.names.length > mostHeaders) {
      yield* close
      return yield* new HeadersTooLarge({ detail: `There are more than ${mostHeaders} headers`, request_id })
    }
    const detail = misreading(message)
    if (detail !== undefined) {
      yield* close
      return yield* new InvalidRequest({ detail, errors: [], request_id })
    }
  })

const messageOf = (request: HttpServerRequest.HttpServerRequest): Message => {
  const { httpVersion, rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return { version: httpVersion, names, headers: request.headers, url: request.url }
}

/** Lets through only what every server on the way reads alike, and what came by HTTPS as far as the proxy tells. */
export const requestGuard = HttpRouter.middleware(
  <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* check(messageOf(request))
      if (request.protocol === "http") {
        const detail = "The request came to the proxy by plain HTTP; use https"
        return yield* new HttpsRequired({ detail, request_id: yield* RequestId })
      }
      // The router would take what follows a semicolon for the query, and a proxy that guards an address would not.
      const [path = ""] = request.url.split("?", 1)
      return path.includes(";") ? HttpServerResponse.empty({ status: 404 }) : yield* handler
    }),
  { global: true }
)
