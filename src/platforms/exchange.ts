import * as NodeStream from "@effect/platform-node/NodeStream"
import { type Dispatcher, FormData } from "@effect/platform-node/Undici"
import { Effect, Option, Result } from "effect"
import { Headers, type HttpBody, HttpClientError, type HttpClientRequest, Url } from "effect/http"
import { makeExchange } from "../outbound/exchange.ts"
import { type Dispatch, type Exchange, maxBodyBytes } from "./call.ts"
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

const urlOf = (request: HttpClientRequest.HttpClientRequest): Result.Result<URL, HttpClientError.HttpClientError> =>
  Result.mapError(Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash)), (cause) =>
    clientError(new HttpClientError.InvalidUrlError({ request, cause }))
  )

/** The exchange of one request, of which a body that reaches the bound is cut: the bound is a byte above the longest one. */
const exchangeOf = (dispatcher: Dispatcher, request: HttpClientRequest.HttpClientRequest, url: URL, body: Body) => {
  const sent = { method: request.method, headers: withoutContentType(request), body }
  const { begin, received, send, stop } = makeExchange(dispatcher, url, sent, maxBodyBytes + 1)
  return {
    begin,
    send,
    stop,
    lost: (cause: unknown) => clientError(new HttpClientError.TransportError({ request, cause })),
    response: () => ({
      status: received.status,
      headers: received.headers,
      body: received.ending === "whole" ? decoder.decode(received.bytes) : null
    })
  }
}

/** The same as `dispatcherExchange` without a fiber and a span, for requests whose body is in memory. */
export const dispatcherDispatch =
  (dispatcher: Dispatcher): Dispatch =>
  (request, done) => {
    const url = urlOf(request)
    const { body } = request
    if (Result.isFailure(url) || body._tag !== "Uint8Array") {
      const error = Result.isFailure(url) ? url.failure : clientError(new HttpClientError.EncodeError({ request }))
      done(Result.fail(error))
      return () => {}
    }
    const { begin, lost, response, stop } = exchangeOf(dispatcher, request, url.success, body.body)
    begin(
      "end",
      () => done(Result.succeed(response())),
      (cause) => done(Result.fail(lost(cause)))
    )
    return stop
  }

/** Sends requests with an undici dispatcher and reads each response whole, at a third of what an HttpClient takes for that. */
export const dispatcherExchange =
  (dispatcher: Dispatcher): Exchange =>
  (request) => {
    const url = urlOf(request)
    if (Result.isFailure(url)) return Effect.fail(url.failure)
    const { hostname, pathname } = url.success
    return toBody(request.body).pipe(
      Effect.flatMap((body) => {
        const { lost, response, send } = exchangeOf(dispatcher, request, url.success, body)
        return send("end", { onFailure: lost, onSuccess: response })
      }),
      Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
      span(`http.client ${request.method}`, {
        kind: "client",
        attributes: { "http.request.method": request.method, "server.address": hostname, "url.path": pathname }
      })
    )
  }
