import { setServiceTime } from "./clock.ts"
import { reportConnection } from "./connection.ts"
import { type ApiError, type Failure, hasStatus, type Outcome } from "./errors.ts"
import { leaveIfOutdated } from "./identity.ts"
import { pauseIfAsked, readPause, resume, untilResumed } from "./pause.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface RequestOptions {
  /** Sent as JSON, except `FormData`. */
  readonly body?: unknown
  /** The `ETag` that the person has read, with quotes: `"3-draft"`. */
  readonly ifMatch?: string
  /** The same for every repetition of an intended change. */
  readonly idempotencyKey?: string
  /** True if the request changes nothing although it is not a GET. It can then wait for the end of a pause. */
  readonly isRead?: boolean
  readonly signal?: AbortSignal
  readonly timeoutMillis?: number
}

const defaultTimeout = 60_000

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * True for a response of the service, which is always a JSON object. Any other successful response comes from a proxy
 * or a network's log-in page. The object is not validated, because the service encodes it by the schemas behind these
 * types.
 */
export const isResponse = <A>(body: unknown, _example?: A): body is A => isRecord(body)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isIssue = (value: unknown): value is ApiError["errors"][number] =>
  isRecord(value) && Array.isArray(value["path"]) && typeof value["message"] === "string"

const textOr = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise)

const readProblem = (response: Response, body: unknown): ApiError => {
  const problem = isRecord(body) ? body : {}
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10)
  const errors: unknown = problem["errors"]
  return {
    _tag: "ApiError",
    status: response.status,
    code: textOr(problem["code"], "unknown"),
    detail: textOr(problem["detail"], `The service answered with the status ${response.status}`),
    errors: Array.isArray(errors) ? errors.filter(isIssue) : [],
    retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
    requestId: response.headers.get("x-request-id"),
    problem
  }
}

let onSessionEnded: () => void = () => undefined

export const setSessionEndedHandler = (handler: () => void) => {
  onSessionEnded = handler
}

const send = (
  method: Method,
  path: string,
  { body, idempotencyKey, ifMatch, signal, timeoutMillis = defaultTimeout }: RequestOptions
) => {
  const headers = new Headers({ accept: "application/json" })
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers.set("content-type", "application/json")
  if (ifMatch !== undefined) headers.set("if-match", ifMatch)
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  const timeout = AbortSignal.timeout(timeoutMillis)
  return fetch(path, {
    method,
    headers,
    body: body === undefined ? null : isForm ? body : JSON.stringify(body),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  })
}

const failed = (error: Failure) => ({ ok: false, error }) as const

export const readResponse = async <A>(path: string, response: Response): Promise<Outcome<A>> => {
  const body = parse(await response.text())
  setServiceTime(response.headers.get("date"))
  if (response.ok) {
    const isOwn = isResponse<A>(body)
    reportConnection(isOwn)
    return isOwn ? { ok: true, data: body } : failed({ _tag: "ConnectionError" })
  }
  reportConnection(true)
  const problem = readProblem(response, body)
  const error = pauseIfAsked(response, problem) ? (readPause() ?? problem) : problem
  if (error.status === 401 && !path.startsWith("/v1/session")) onSessionEnded()
  return failed(error)
}

const sendOnce = async <A>(method: Method, path: string, options: RequestOptions): Promise<Outcome<A>> => {
  try {
    return await readResponse<A>(path, await send(method, path, options))
  } catch {
    if (options.signal?.aborted !== true) reportConnection(false)
    return failed({ _tag: "ConnectionError" })
  }
}

/** Waits until a pause ends. Repeats the read after each 429 that begins another pause. */
const read = async <A>(method: Method, path: string, options: RequestOptions): Promise<Outcome<A>> => {
  await untilResumed(options.signal)
  if (options.signal?.aborted === true) return failed({ _tag: "ConnectionError" })
  const outcome = await sendOnce<A>(method, path, options)
  const isRefused = !outcome.ok && hasStatus(outcome.error, 429)
  return isRefused && readPause() !== undefined ? read(method, path, options) : outcome
}

/** True for requests that open or end a session. They ignore a pause, which may be another person's. */
const isOfSession = (path: string): boolean => /^\/(v1\/session|v1\/invites\/|sandbox\/session)/.test(path)

/** Never throws. `A` is the encoded form of the endpoint's response in src/api. */
export const request = async <A>(method: Method, path: string, options: RequestOptions = {}): Promise<Outcome<A>> => {
  if (method === "GET" || options.isRead === true) return read(method, path, options)
  if (leaveIfOutdated()) return failed({ _tag: "ConnectionError" })
  // A change does not wait, because only the caller knows if it is still wanted after the pause.
  const paused = isOfSession(path) ? undefined : readPause()
  if (paused !== undefined) return failed(paused)
  const outcome = await sendOnce<A>(method, path, options)
  if (outcome.ok && isOfSession(path)) resume()
  return outcome
}

/** A key for one intended creation or publication. Use it again for a retry. */
export const newIdempotencyKey = (): string => crypto.randomUUID()

export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  const text = params.toString()
  return text === "" ? path : `${path}?${text}`
}
