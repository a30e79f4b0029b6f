import { type DateTime, Duration, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type RateLimited
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { failAt, foreignAnswer, limitedUntil, refusedPost } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"

/**
 * The protocol's errors have a Pascal-case name and a message. Gateways send similar JSON, but with a status, or with
 * names such as `not_found` or "Unauthorized" (in the protocol, "AuthenticationRequired"). Source: `ResponseType` of
 * @atproto/xrpc 0.8, and a run of @atproto/pds 0.5.35.
 */
const readXrpcError = readResponse(
  Schema.Struct({
    error: Schema.String.check(Schema.isPattern(/^(?!Unauthorized$)[A-Z][A-Za-z0-9]*$/)),
    message: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.Never),
    statusCode: Schema.optionalKey(Schema.Never)
  })
)

export interface XrpcError {
  readonly error: string
  readonly detail: string
}

/** Null if the response is not in the protocol's format. */
export const xrpcError = (response: PlatformResponse): XrpcError | null =>
  Option.match(readXrpcError(response), {
    onNone: () => null,
    onSome: ({ error, message }) => ({ error, detail: platformDetail(message ?? error) })
  })

export const errorDetail = (response: PlatformResponse): string =>
  xrpcError(response)?.detail ?? `status ${response.status}`

export const query = (serviceUrl: string, method: string, params: Readonly<Record<string, string>>) =>
  HttpClientRequest.get(`${serviceUrl}/xrpc/${method}`, { acceptJson: true, urlParams: params })

export const procedure = (serviceUrl: string, method: string) =>
  HttpClientRequest.post(`${serviceUrl}/xrpc/${method}`, { acceptJson: true })

const limitWindow = Duration.minutes(5)

const limited = (response: PlatformResponse, now: DateTime.Utc): RateLimited =>
  limitedUntil({ platform: "Bluesky", response, resetHeaders: ["ratelimit-reset"], defaultWait: limitWindow }, now)

export const rateLimited = (response: PlatformResponse) => failAt((now) => limited(response, now))

const closedAccounts = new Set(["AccountTakedown", "AccountDeactivated", "AccountSuspended"])
const missingAccounts = new Set(["AccountNotFound", "RepoNotFound"])
const lostSessions = new Set(["ExpiredToken", "InvalidToken", ...missingAccounts])

export const endsSession = (error: XrpcError | null): boolean => error !== null && lostSessions.has(error.error)

/**
 * True if the account is closed, or has moved to another host. The host that answered has not carried out the request.
 */
export const isNotOpen = (response: PlatformResponse): boolean => {
  const error = xrpcError(response)?.error
  return error !== undefined && (closedAccounts.has(error) || missingAccounts.has(error))
}

export const isKeyTaken = (response: PlatformResponse): boolean =>
  response.status === 400 && xrpcError(response)?.error === "InvalidSwap"

export const isBlobUnknown = (response: PlatformResponse): boolean =>
  response.status === 400 && xrpcError(response)?.error === "BlobNotFound"

/** True if the PDS lacks a file of the record. A PDS that has dropped an unused file answers with a 500. */
export const lacksBlob = (response: PlatformResponse): boolean => isBlobUnknown(response) || response.status === 500

/** Undefined if the refusal concerns the request, not the account. */
const refusedAccount = ({ status }: PlatformResponse, error: XrpcError): PlatformError | undefined => {
  const explanation = `: ${error.detail}`
  if (closedAccounts.has(error.error)) {
    return new NeedsReauthorization({
      message: `Bluesky has closed this account${explanation}; connect it again once it is open`
    })
  }
  return status === 401 || endsSession(error)
    ? new NeedsReauthorization({
        message: `Bluesky no longer accepts this session${explanation}; connect the account again`
      })
    : undefined
}

/** The error for an answer to a put that is not a success. */
export const refusedPut = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const error = xrpcError(response)
  if (error === null) return foreignAnswer("Bluesky", response)
  if (response.status === 429) return limited(response, now)
  return refusedPost({
    platform: "Bluesky",
    response,
    detail: error.detail,
    special: refusedAccount(response, error)
  })
}

/**
 * The error for an answer to a read that is not a success. The outcome stays unknown, unless a limit or the account
 * caused the refusal.
 */
export const refusedRead = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const error = xrpcError(response)
  if (response.status === 429 && error !== null) return limited(response, now)
  return (
    (error === null ? undefined : refusedAccount(response, error)) ??
    new OutcomeUnknown({ message: `Bluesky did not say whether the post exists: ${errorDetail(response)}` })
  )
}
