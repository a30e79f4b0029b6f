import { Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type RateLimited,
  Rejected,
  Unavailable
} from "../../domain/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { failRateLimited, platformDetail, refusedPost } from "../outcome.ts"

const readXrpcError = readResponse(
  Schema.Struct({
    error: Schema.String,
    message: Schema.optionalKey(Schema.String)
  })
)

/** A PDS's error: a name to decide by, and a text for people. */
export interface XrpcError {
  readonly error: string
  readonly detail: string
}

/** Reads an error response; null if it is not in the protocol's format. */
export const xrpcError = (response: PlatformResponse): XrpcError | null =>
  Option.match(readXrpcError(response), {
    onNone: () => null,
    onSome: ({ error, message }) => ({ error, detail: platformDetail(message ?? error) })
  })

/** The detail of an error response to show to people; its status if it is not in the protocol's format. */
export const errorDetail = (response: PlatformResponse): string =>
  xrpcError(response)?.detail ?? `status ${response.status}`

/** A request for a query (a read) of the AT Protocol. */
export const query = (serviceUrl: string, method: string, params: Readonly<Record<string, string>>) =>
  HttpClientRequest.get(`${serviceUrl}/xrpc/${method}`, { acceptJson: true, urlParams: params })

/** A request for a procedure (a write) of the AT Protocol. */
export const procedure = (serviceUrl: string, method: string) =>
  HttpClientRequest.post(`${serviceUrl}/xrpc/${method}`, { acceptJson: true })

const limitWindow = Duration.minutes(5)

/** Fails with what a 429 means. */
export const rateLimited = (response: PlatformResponse): Effect.Effect<never, RateLimited> =>
  failRateLimited("Bluesky", response, ["ratelimit-reset"], limitWindow)

const closedAccounts = new Set(["AccountTakedown", "AccountDeactivated", "AccountSuspended"])
const lostSessions = new Set(["ExpiredToken", "InvalidToken", "AccountNotFound"])

/** Whether an error says that the request's session has ended, or its account. */
export const endsSession = (error: XrpcError | null): boolean => error !== null && lostSessions.has(error.error)

const isClosed = (error: XrpcError | null): boolean => error !== null && closedAccounts.has(error.error)

/** Refusals that only a PDS has. */
const specialRefusal = ({ body, status }: PlatformResponse, error: XrpcError | null): PlatformError | undefined => {
  const explanation = error === null ? "" : `: ${error.detail}`
  // An expired session is refused with a 400 too, so without the body the reason is open.
  if (body === null) {
    return new Unavailable({ message: `Bluesky answered ${status}, and the connection was lost before the reason` })
  }
  if (isClosed(error)) return new Rejected({ message: `Bluesky has closed this account for posting${explanation}` })
  if (status === 401 || endsSession(error)) {
    return new NeedsReauthorization({
      message: `Bluesky no longer accepts this session${explanation}; connect the account again`
    })
  }
  return error?.error === "InvalidSwap"
    ? new Rejected({ message: "Another record has the key of this post on Bluesky, and it was left as it is" })
    : undefined
}

/** Fails with what a response other than success to a put means. */
export const refusedPut = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  if (response.status === 429) return rateLimited(response)
  const error = xrpcError(response)
  return Effect.fail(
    refusedPost({
      platform: "Bluesky",
      response,
      detail: error?.detail ?? null,
      rejections: [400, 413],
      special: specialRefusal(response, error)
    })
  )
}

/**
 * Fails with what a response other than success means if the record may exist already. A closed account can be opened
 * again, and whether the record exists shows only then.
 */
export const refusedReconciliation = (response: PlatformResponse): Effect.Effect<never, PlatformError> =>
  isClosed(xrpcError(response))
    ? Effect.mapError(refusedPut(response), ({ message }) => new OutcomeUnknown({ message }))
    : refusedPut(response)
