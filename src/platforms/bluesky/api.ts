import { Effect, Option, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../domain/platformError.ts"
import { type PlatformResponse, type Call, type NoResponse, readResponse } from "../call.ts"
import type { Account } from "../PlatformClient.ts"
import type { BlueskyConfig } from "./config.ts"
import { orUnavailable } from "../unanswered.ts"
import { type BlueskySession, decodeSession, encodeSession, SessionResponse, sessionFrom } from "./session.ts"
import { procedure, rateLimited, xrpcError } from "./xrpc.ts"

const readSession = readResponse(SessionResponse)

/** A PDS as one account sees it. */
export interface BlueskyApi {
  /** Where the account's records are kept. */
  readonly pds: (account: Account) => Effect.Effect<string, PlatformError | DatabaseUnavailable>
  /**
   * Sends a request with the account's session. Where the PDS says that it has run out, renews it and sends the request
   * again, which is safe because nothing is carried out that is answered so.
   */
  readonly send: (
    account: Account,
    request: (pdsUrl: string) => HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<PlatformResponse, NoResponse | PlatformError | DatabaseUnavailable>
}

const hasRunOut = (answer: PlatformResponse): boolean => {
  const error = answer.status === 400 ? xrpcError(answer)?.error : undefined
  return error === "ExpiredToken" || error === "InvalidToken"
}

export const makeBlueskyApi = (config: BlueskyConfig, call: Call): BlueskyApi => {
  const serviceOf = (account: Account) => account.serviceUrl ?? config.defaultServiceUrl
  const pdsOf = (account: Account, session: BlueskySession) => session.pdsUrl ?? serviceOf(account)

  // A refresh token that was used still works for a while and gives the same new one, so this can be repeated.
  const renew = Effect.fnUntraced(function* (account: Account, seen: Redacted.Redacted) {
    const { refreshJwt } = yield* decodeSession(seen)
    const service = serviceOf(account)
    const answer = yield* call(
      HttpClientRequest.bearerToken(procedure(service, "com.atproto.server.refreshSession"), refreshJwt)
    ).pipe(orUnavailable)
    const session = answer.status === 200 ? readSession(answer) : Option.none()
    if (Option.isSome(session)) return encodeSession(sessionFrom(session.value, service))
    if (answer.status === 429) return yield* Effect.flatMap(rateLimited(answer), Effect.fail)
    const told = xrpcError(answer)
    if (told !== null && (answer.status === 400 || answer.status === 401 || answer.status === 403)) {
      return yield* new NeedsReauthorization({
        message: `Bluesky does not renew this session (${told.detail}); connect the account again`
      })
    }
    return yield* new Unavailable({
      message: `Bluesky could not renew this session (${told?.detail ?? `answer ${answer.status}`})`
    })
  })

  const pds = Effect.fnUntraced(function* (account: Account) {
    return pdsOf(account, yield* decodeSession(yield* account.credentials.current))
  })

  const sendWith = Effect.fnUntraced(function* (
    account: Account,
    credentials: Redacted.Redacted,
    request: (pdsUrl: string) => HttpClientRequest.HttpClientRequest
  ) {
    const session = yield* decodeSession(credentials)
    return yield* call(HttpClientRequest.bearerToken(request(pdsOf(account, session)), session.accessJwt))
  })

  const send: BlueskyApi["send"] = Effect.fnUntraced(function* (account, request) {
    const seen = yield* account.credentials.current
    const answer = yield* sendWith(account, seen, request)
    if (!hasRunOut(answer)) return answer
    const renewed = yield* account.credentials.refresh(seen, renew(account, seen))
    return yield* sendWith(account, renewed, request)
  })

  return { pds, send }
}
