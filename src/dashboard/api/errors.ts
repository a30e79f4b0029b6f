import type { Issue } from "../../domain/errors.ts"

/** A problem from the service (RFC 9457). */
export interface ApiError {
  readonly _tag: "ApiError"
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors: ReadonlyArray<typeof Issue.Encoded>
  /** Seconds; null if the service names none. */
  readonly retryAfter: number | null
  readonly requestId: string | null
  readonly problem: Readonly<Record<string, unknown>>
}

/** The service can't be reached, or a request took too long. */
export interface ConnectionError {
  readonly _tag: "ConnectionError"
}

export type Failure = ApiError | ConnectionError

export type Outcome<A> = { readonly ok: true; readonly data: A } | { readonly ok: false; readonly error: Failure }

export const describeFailure = (error: Failure): string =>
  error._tag === "ConnectionError"
    ? "The service can’t be reached. Check the connection, and try again."
    : error.status >= 500
      ? "The service failed. Try again in a moment."
      : withPeriod(error.detail)

/** A change may have taken effect before the connection was lost. */
export const describeUnanswered = (changes = "this change"): string =>
  `It is not known whether ${changes} arrived. Check the connection, then try again: nothing is done twice.`

/** Describes the failure of a change. `describeFailure` is for loads. */
export const describeFailedChange = (error: Failure): string =>
  error._tag === "ConnectionError" ? describeUnanswered() : describeFailure(error)

/** True if a change may have taken effect. */
export const isUnconfirmed = (error: Failure): boolean =>
  error._tag === "ConnectionError" || error.status >= 500 || error.status === 408

export const hasStatus = (error: Failure | undefined, ...statuses: ReadonlyArray<number>): boolean =>
  error?._tag === "ApiError" && statuses.includes(error.status)

export const hasCode = (error: Failure, ...codes: ReadonlyArray<string>): boolean =>
  error._tag === "ApiError" && codes.includes(error.code)

/** Adds a period, which the service's messages lack. */
export const withPeriod = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** `field` is a path such as `email` or `media.0.alt`. */
export const findIssue = (error: Failure | undefined, field: string): ApiError["errors"][number] | undefined =>
  error?._tag === "ApiError" ? error.errors.find(({ path }) => path.join(".") === field) : undefined

/** Describes the failure of a change. Undefined if all its errors belong to these fields, which show them. */
export const describeRest = (error: Failure | undefined, fields: ReadonlyArray<string>): string | undefined => {
  if (error === undefined) return undefined
  const issues = error._tag === "ApiError" ? error.errors : []
  const isShown = issues.length > 0 && issues.every(({ path }) => fields.includes(path.join(".")))
  return isShown ? undefined : describeFailedChange(error)
}

export const possibleTimes = "Choose a time from now on, at most 180 days ahead."

export const describeWait = (seconds: number): string =>
  seconds < 90 ? `${seconds} ${seconds === 1 ? "second" : "seconds"}` : `${Math.ceil(seconds / 60)} minutes`
