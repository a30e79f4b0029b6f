import type { AnyCode, Issue, Problem } from "./contract.ts"
import { isRecord } from "./json.ts"

interface Failure {
  /** The key that the request was sent with. The same call with it is not carried out a second time. */
  readonly idempotencyKey: string | null
}

/** The service answered with an error, or something between it and the client did. */
export class ApiError extends Error implements Failure {
  override readonly name = "ApiError"
  readonly status: number
  /** The kind of problem; `unknown` where the response is not the service's. Later versions may send further words. */
  readonly code: AnyCode
  /** What went wrong, for people. */
  readonly detail: string
  /** Every field that is wrong. */
  readonly errors: ReadonlyArray<Issue>
  /** The request's id in the service's logs. */
  readonly requestId: string | null
  /** How long to wait, in seconds. */
  readonly retryAfter: number | null
  /** The whole body, for members that only some problems have. */
  readonly problem: Problem
  readonly idempotencyKey: string | null

  constructor({ detail, ...members }: Omit<ApiError, "message" | "name" | "stack" | "cause" | "toJSON">) {
    super(`${members.status} ${members.code}: ${detail}`)
    this.status = members.status
    this.code = members.code
    this.detail = detail
    this.errors = members.errors
    this.requestId = members.requestId
    this.retryAfter = members.retryAfter
    this.problem = members.problem
    this.idempotencyKey = members.idempotencyKey
  }
}

/** No answer arrived: the connection failed or took too long. What the request changes may have happened. */
export class ConnectionError extends Error implements Failure {
  override readonly name = "ConnectionError"
  readonly idempotencyKey: string | null

  constructor(message: string, { cause, idempotencyKey }: Failure & { readonly cause: unknown }) {
    super(message, { cause })
    this.idempotencyKey = idempotencyKey
  }
}

/** What was waited for did not come: it took too long, or can't come any more. */
export class WaitError<A = unknown> extends Error {
  override readonly name = "WaitError"
  readonly reason: "timeout" | "failed"
  /** As it was read last; undefined where no answer came at all. */
  readonly last: A

  constructor(message: string, { last, reason }: { readonly reason: "timeout" | "failed"; readonly last: A }) {
    super(message)
    this.reason = reason
    this.last = last
  }
}

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && Array.isArray(value["path"]) && typeof value["message"] === "string"

const textOr = <A>(value: unknown, otherwise: A): string | A => (typeof value === "string" ? value : otherwise)

/** In seconds. Proxies may name a date instead. */
const readRetryAfter = (headers: Headers, now: number): number | null => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return text === "" || Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}

interface Answered extends Failure {
  readonly response: Response
  /** What was parsed of it; undefined if it is not JSON. */
  readonly body: unknown
  readonly now: number
}

/** Fetch follows none of these: the key must not go to another host. Browsers hide which one it is. */
const isRedirect = ({ status, type }: Response) =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)

const describe = (response: Response) =>
  response.ok
    ? "The response is not the service's"
    : isRedirect(response)
      ? "The response is a redirect, which is not followed"
      : `The response has the status ${response.status}`

/** The error of a response. What is not the service's own, such as a page of a proxy, has the code `unknown`. */
export const readProblem = ({ body, idempotencyKey, now, response }: Answered): ApiError => {
  const problem = isRecord(body) ? body : {}
  const errors = problem["errors"]
  return new ApiError({
    status: response.status,
    code: textOr(problem["code"], "unknown"),
    detail: textOr(problem["detail"], describe(response)),
    errors: Array.isArray(errors) ? errors.filter(isIssue) : [],
    requestId: response.headers.get("x-request-id"),
    retryAfter: readRetryAfter(response.headers, now),
    problem,
    idempotencyKey
  })
}
