import { Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../../domain/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { platformDetail } from "../platformDetail.ts"
import { resumeAt } from "../resumeAt.ts"

const readXrpcError = readResponse(
  Schema.Struct({
    error: Schema.String,
    message: Schema.optionalKey(Schema.String)
  })
)

/** What a PDS says is wrong: a name to decide by, and a text for people. */
export interface XrpcError {
  readonly error: string
  readonly detail: string
}

/** Reads an error answer; null where it is not one of the protocol's. */
export const xrpcError = (answer: PlatformResponse): XrpcError | null =>
  Option.match(readXrpcError(answer), {
    onNone: () => null,
    onSome: ({ error, message }) => ({ error, detail: platformDetail(message ?? error) })
  })

/** A query, and a procedure, of the AT Protocol. */
export const query = (serviceUrl: string, method: string, params: Readonly<Record<string, string>>) =>
  HttpClientRequest.get(`${serviceUrl}/xrpc/${method}`, { acceptJson: true, urlParams: params })
export const procedure = (serviceUrl: string, method: string) =>
  HttpClientRequest.post(`${serviceUrl}/xrpc/${method}`, { acceptJson: true })

const limitWindow = Duration.minutes(5)

/** When a PDS takes requests again, after a 429. */
export const rateLimited = Effect.fnUntraced(function* (answer: PlatformResponse) {
  const until = yield* resumeAt(answer.headers, ["ratelimit-reset"], limitWindow)
  return new RateLimited({ message: "Bluesky takes no more from this account for now", until })
})

const closedAccounts = new Set(["AccountTakedown", "AccountDeactivated", "AccountSuspended"])
const lostSessions = new Set(["ExpiredToken", "InvalidToken", "AccountNotFound"])

const isClosed = (told: XrpcError | null): boolean => told !== null && closedAccounts.has(told.error)

/** What it means that a record was answered with anything but success. */
export const refusedPut = (answer: PlatformResponse): Effect.Effect<PlatformError> => {
  const told = xrpcError(answer)
  const said = told === null ? "" : `: ${told.detail}`
  if (answer.status === 429) return rateLimited(answer)
  if (answer.status < 400 || answer.status >= 500 || answer.status === 408 || answer.status === 499) {
    return Effect.succeed(new OutcomeUnknown({ message: `Bluesky answered ${answer.status}${said}` }))
  }
  // It refused, and only what broke off said why: a session that has run out too is told by a 400.
  if (answer.body === null) {
    return Effect.succeed(
      new Unavailable({ message: `Bluesky answered ${answer.status}, and broke off before it said why` })
    )
  }
  if (isClosed(told)) {
    return Effect.succeed(new Rejected({ message: `Bluesky has closed this account for posting${said}` }))
  }
  if (answer.status === 401 || (told !== null && lostSessions.has(told.error))) {
    return Effect.succeed(
      new NeedsReauthorization({ message: `Bluesky no longer accepts this session${said}; connect the account again` })
    )
  }
  if (told?.error === "InvalidSwap") {
    return Effect.succeed(
      new Rejected({ message: "Another record has the key of this post on Bluesky, and it was left as it is" })
    )
  }
  // Something before the PDS can refuse too, and does not speak its language: that may pass.
  return Effect.succeed(
    told === null && answer.status !== 400 && answer.status !== 413
      ? new Unavailable({ message: `Bluesky answered ${answer.status} without saying why` })
      : new Rejected({ message: `Bluesky refused this post${said === "" ? " as invalid" : said}` })
  )
}

/**
 * What it means that a record which may be there already was answered with anything but success. An account that is
 * closed can be opened again, and then the record is there or not as before.
 */
export const refusedReconciliation = (answer: PlatformResponse): Effect.Effect<PlatformError> => {
  return isClosed(xrpcError(answer))
    ? Effect.map(refusedPut(answer), ({ message }) => new OutcomeUnknown({ message }))
    : refusedPut(answer)
}
