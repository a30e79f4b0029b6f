import type { AnyCode, Issue, Problem } from "./contract.ts"
import { isRecord } from "./json.ts"

interface Failure {
  /** A repetition of the call with this key has no second effect. */
  readonly idempotencyKey: string | null
}

export class ApiError extends Error implements Failure {
  override readonly name = "ApiError"
  readonly status: number
  /** `unknown` if the response did not come from the service. Later versions may add codes. */
  readonly code: AnyCode
  readonly detail: string
  readonly errors: ReadonlyArray<Issue>
  readonly requestId: string | null
  /** Seconds. */
  readonly retryAfter: number | null
  /** The whole body, because some problems have fields of their own. */
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

/** The connection failed or took too long. The request may have taken effect. */
export class ConnectionError extends Error implements Failure {
  override readonly name = "ConnectionError"
  readonly idempotencyKey: string | null

  constructor(message: string, { cause, idempotencyKey }: Failure & { readonly cause: unknown }) {
    super(message, { cause })
    this.idempotencyKey = idempotencyKey
  }
}

/** The expected state was not reached in time, or can no longer be reached. */
export class WaitError<A = unknown> extends Error {
  override readonly name = "WaitError"
  readonly reason: "timeout" | "failed"
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

/** Seconds. Proxies may send a date instead. */
const readRetryAfter = (headers: Headers, now: number): number | null => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return text === "" || Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}

interface Answered extends Failure {
  readonly response: Response
  readonly body: unknown
  readonly now: number
}

/** Redirects are errors, because the key must not go to another host. Browsers hide a redirect's target. */
const isRedirect = ({ status, type }: Response) =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)

const describe = (response: Response) =>
  response.ok
    ? "The response is not the service's"
    : isRedirect(response)
      ? "The response is a redirect, which is not followed"
      : `The response has the status ${response.status}`

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
