import type { Issue } from "../../domain/errors.ts"

/** A response of the service that is a problem (RFC 9457). */
export interface ApiError {
  readonly _tag: "ApiError"
  readonly status: number
  /** The kind of problem, for programs to act on. */
  readonly code: string
  /** What went wrong, for people. */
  readonly detail: string
  /** Every field that is wrong. */
  readonly errors: ReadonlyArray<typeof Issue.Encoded>
  /** How long to wait, in seconds; null where the service names no time. */
  readonly retryAfter: number | null
  readonly requestId: string | null
  /** The whole problem, for members that only some have. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** The service could not be reached, or took too long. */
export interface ConnectionError {
  readonly _tag: "ConnectionError"
}

export type Failure = ApiError | ConnectionError

export type Outcome<A> = { readonly ok: true; readonly data: A } | { readonly ok: false; readonly error: Failure }

/** What went wrong, for people. */
export const describeFailure = (error: Failure): string =>
  error._tag === "ConnectionError"
    ? "The service can’t be reached. Check the connection, and try again."
    : error.status >= 500
      ? "The service failed. Try again in a moment."
      : withPeriod(error.detail)

/** Whether a change may have been carried out although the service did not say so. */
export const isUnconfirmed = (error: Failure): boolean =>
  error._tag === "ConnectionError" || error.status >= 500 || error.status === 408

/** The service's sentences have no period. */
export const withPeriod = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** What is wrong with a field of the request's body, such as `email` or `media.0.alt`; undefined if nothing is. */
export const fieldError = (error: Failure | undefined, field: string): string | undefined =>
  error?._tag === "ApiError" ? error.errors.find(({ path }) => path.join(".") === field)?.message : undefined

/** What went wrong besides what `fieldError` tells of the fields that are shown; undefined if that is all. */
export const describeRest = (error: Failure | undefined, fields: ReadonlyArray<string>): string | undefined => {
  if (error === undefined) return undefined
  const issues = error._tag === "ApiError" ? error.errors : []
  const isShown = issues.length > 0 && issues.every(({ path }) => fields.includes(path.join(".")))
  return isShown ? undefined : describeFailure(error)
}

/** What helps where the service refuses a time. */
export const possibleTimes = "Choose a time from now on, at most 180 days ahead."

/** A wait as people say it. */
export const describeWait = (seconds: number): string =>
  seconds < 90 ? `${seconds} ${seconds === 1 ? "second" : "seconds"}` : `${Math.ceil(seconds / 60)} minutes`
