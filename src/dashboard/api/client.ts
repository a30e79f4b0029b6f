import { setServiceTime } from "./clock.ts"
import { reportConnection } from "./connection.ts"
import type { ApiError, Failure, Outcome } from "./errors.ts"
import { leaveIfOutdated } from "./identity.ts"
import { pauseIfAsked, readPause, resume, untilResumed } from "./pause.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface RequestOptions {
  /** What is sent: as JSON, or as it is where it is a form with files. */
  readonly body?: unknown
  /** The `ETag` or revision that the change is for, such as `"3-draft"` with its quotes. */
  readonly ifMatch?: string
  /** A key that is the same for each repetition of one intent, so that it is carried out once. */
  readonly idempotencyKey?: string
  /** Whether it changes nothing although it is no GET, so that it may wait. */
  readonly isRead?: boolean
  readonly signal?: AbortSignal
  /** How long the response may take, in milliseconds; a minute by default. */
  readonly timeoutMillis?: number
}

/** How long a response may take where nobody says otherwise, in milliseconds. */
const defaultTimeout = 60_000

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a body is a response of the service: each of those is a JSON object. What else comes with a status of success is a
 * page of something in between, such as a proxy or the log-in of a network. Members are not decoded a second time: the
 * service encodes them by the schemas that the types are of.
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

/** Sets what happens when the session has ended: log in again, and back. */
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

/** What the service responded to a request of any kind. */
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

/** What reads waits until the service takes requests again, and is sent as often as that asks for. */
const read = async <A>(method: Method, path: string, options: RequestOptions): Promise<Outcome<A>> => {
  await untilResumed(options.signal)
  if (options.signal?.aborted === true) return failed({ _tag: "ConnectionError" })
  const outcome = await sendOnce<A>(method, path, options)
  const isRefused = !outcome.ok && outcome.error._tag === "ApiError" && outcome.error.status === 429
  return isRefused && readPause() !== undefined ? read(method, path, options) : outcome
}

/** Whether it opens or ends a session. It is sent at once: who logs in may be another person than the one who has to wait. */
const isOfSession = (path: string): boolean => /^\/(v1\/session|v1\/invites\/|sandbox\/session)/.test(path)

/** A request to the API. Never throws. `A` is the encoded side of the endpoint's response in src/api. */
export const request = async <A>(method: Method, path: string, options: RequestOptions = {}): Promise<Outcome<A>> => {
  if (method === "GET" || options.isRead === true) return read(method, path, options)
  if (leaveIfOutdated()) return failed({ _tag: "ConnectionError" })
  // Whoever changes something knows best whether it is still wanted later.
  const paused = isOfSession(path) ? undefined : readPause()
  if (paused !== undefined) return failed(paused)
  const outcome = await sendOnce<A>(method, path, options)
  if (outcome.ok && isOfSession(path)) resume()
  return outcome
}

/** A key for one intent to create or publish; keep it while the same is tried again. */
export const newIdempotencyKey = (): string => crypto.randomUUID()

/** A path with a query, without the members that are undefined. */
export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  const text = params.toString()
  return text === "" ? path : `${path}?${text}`
}
