import { Effect } from "effect"
import { apiKey, baseUrl } from "./server.ts"

export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  // Tests check it member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly text: string
}

/** Sends a request unchanged, and parses a JSON response. */
export const send = (url: string, init: RequestInit = {}): Effect.Effect<ClientResponse> =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, { signal, ...init })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  })

/** Sends a body as JSON, or a string unchanged. */
export const sendJson = (
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown
): Effect.Effect<ClientResponse> =>
  body === undefined
    ? send(url, { method, headers })
    : send(url, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })

/** Sends requests to the paths below a URL, as the caller that has the headers. */
export const makeSendAs =
  (base: string) =>
  (caller: Readonly<Record<string, string>>) =>
  (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
    sendJson(`${base}${path}`, method, { ...caller, ...more }, body)

export const keyHeaders = (key: string) => ({ authorization: `Bearer ${key}` })

/** Headers of a request from the service's own pages. */
export const sessionHeaders = (cookie: string) => ({ cookie, origin: baseUrl })

/** Sends a JSON request with `apiKey`. */
export const call = (url: string, method = "GET", body?: unknown): Effect.Effect<ClientResponse> =>
  sendJson(url, method, keyHeaders(apiKey), body)

/** The path of each error in a problem or a validation result. */
export const errorPaths = ({ errors }: { readonly errors: ReadonlyArray<{ readonly path: unknown }> }) =>
  errors.map(({ path }) => path)

export const withoutCodes = (issues: ReadonlyArray<{ readonly path: unknown; readonly message: string }>) =>
  issues.map(({ message, path }) => ({ path, message }))
