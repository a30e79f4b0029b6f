import * as NodeStream from "@effect/platform-node/NodeStream"
import { type Dispatcher, FormData } from "@effect/platform-node/Undici"
import { Effect, Option, Result } from "effect"
import { Headers, type HttpBody, HttpClientError, type HttpClientRequest, Url } from "effect/http"
import { makeExchange } from "../outbound/exchange.ts"
import { type Exchange, maxBodyBytes } from "./call.ts"
import { span } from "./span.ts"

type Body = Exclude<Dispatcher.DispatchOptions["body"], undefined>

const toFormData = (entries: globalThis.FormData): FormData => {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value)
  return form
}

const toBody = (body: HttpBody.HttpBody): Effect.Effect<Body> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(null)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "FormData":
      return Effect.sync(() => toFormData(body.formData))
    case "Stream":
      return NodeStream.toReadable(body.stream)
    case "Raw":
      return Effect.die(new Error("A request to a platform can't have a raw body"))
  }
}

const decoder = new TextDecoder()

const clientError = (reason: HttpClientError.HttpClientErrorReason) => new HttpClientError.HttpClientError({ reason })

/** A form's boundary is undici's to name. */
const withoutContentType = ({ body, headers }: HttpClientRequest.HttpClientRequest): Headers.Headers =>
  body._tag === "FormData" ? Headers.remove(headers, "content-type") : headers

/** Sends requests with an undici dispatcher and reads each response whole, at a third of what an HttpClient takes for that. */
export const dispatcherExchange =
  (dispatcher: Dispatcher): Exchange =>
  (request) => {
    const url = Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))
    if (Result.isFailure(url)) {
      return Effect.fail(clientError(new HttpClientError.InvalidUrlError({ request, cause: url.failure })))
    }
    const { hostname, pathname } = url.success
    return toBody(request.body).pipe(
      Effect.flatMap((body) => {
        const sent = { method: request.method, headers: withoutContentType(request), body }
        // A body that reaches the bound is cut, so the bound is a byte above the longest one.
        const { received, send } = makeExchange(dispatcher, url.success, sent, maxBodyBytes + 1)
        return send("end", {
          onFailure: (cause) => clientError(new HttpClientError.TransportError({ request, cause })),
          onSuccess: () => ({
            status: received.status,
            headers: received.headers,
            body: received.ending === "whole" ? decoder.decode(received.bytes) : null
          })
        })
      }),
      Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
      span(`http.client ${request.method}`, {
        kind: "client",
        attributes: { "http.request.method": request.method, "server.address": hostname, "url.path": pathname }
      })
    )
  }
