import { Effect, Layer, type Scope, Stream } from "effect"
import {
  HttpBody,
  HttpClient,
  HttpClientRequest,
  type HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Authentication } from "../api/Authentication.ts"
import { InProcess } from "../http/InProcess.ts"
import { CurrentAgentRequest } from "./AgentRequest.ts"

/** The router's middleware has a response for every failure. */
type Served = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Reads the response to its end, so that its resources are released before the next request. */
const withWholeBody = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  return body._tag === "Stream"
    ? Stream.runCollect(Stream.orDie(body.stream)).pipe(
        Effect.map((chunks) =>
          HttpServerResponse.setBody(response, HttpBody.uint8Array(Buffer.concat(chunks), body.contentType))
        )
      )
    : Effect.succeed(response)
}

/** Encodes a form as `fetch` does. A request within the process has no other place that chooses a boundary. */
const withEncodedForm = (request: HttpClientRequest.HttpClientRequest) => {
  const { body } = request
  if (body._tag !== "FormData") return Effect.succeed(request)
  const encoded = new Response(body.formData)
  return Effect.map(
    Effect.promise(() => encoded.bytes()),
    (bytes) => HttpClientRequest.bodyUint8Array(request, bytes, encoded.headers.get("content-type") ?? undefined)
  )
}

/** Sends requests to this process's router, on behalf of the agent's request. */
const inProcessClient = (router: HttpRouter.HttpRouter) => {
  // The router's handler is built late, because routes and middleware are added until the server listens.
  let served: Served | undefined
  return HttpClient.make((request) =>
    Effect.gen(function* () {
      const agent = yield* CurrentAgentRequest
      // The router's type does not show that its middleware catches everything.
      // @effect-diagnostics-next-line anyUnknownInErrorContext:off
      served ??= Effect.orDie(router.asHttpEffect())
      const sent = HttpClientRequest.setHeaders(yield* withEncodedForm(request), agent.headers)
      const received = HttpServerRequest.fromClientRequest(sent).modify({ remoteAddress: agent.remoteAddress })
      const response = yield* served.pipe(
        Effect.flatMap(withWholeBody),
        Effect.scoped,
        Effect.provideService(HttpServerRequest.HttpServerRequest, received),
        Effect.provideService(InProcess, true)
      )
      agent.outcome = { status: response.status, headers: response.headers }
      return HttpServerResponse.toClientResponse(response, { request: sent })
    })
  )
}

export const makeContract = Effect.fnUntraced(function* (baseUrl: string, router: HttpRouter.HttpRouter) {
  // If `baseUrl` has a path, the proxy removes it before the router.
  return yield* HttpApiClient.make(Api, { baseUrl: new URL(baseUrl).origin }).pipe(
    Effect.provide(
      Layer.merge(
        Layer.succeed(HttpClient.HttpClient, inProcessClient(router)),
        HttpApiMiddleware.layerClient(Authentication, ({ next, request }) => next(request))
      )
    )
  )
})

export type Contract = Effect.Success<ReturnType<typeof makeContract>>
