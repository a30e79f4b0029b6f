import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/** Sends a request and reads the JSON of its response. */
export const send = Effect.fn(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(request)
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
})

export const deleteWith = (url: string, token: string) =>
  HttpClientRequest.delete(url).pipe(HttpClientRequest.bearerToken(token))

export const postJson = (url: string, token: string, body: unknown) =>
  HttpClientRequest.post(url).pipe(HttpClientRequest.bearerToken(token), HttpClientRequest.bodyJsonUnsafe(body))
