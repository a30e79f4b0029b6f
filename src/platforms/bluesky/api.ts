import { Effect, Option, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import {
  type Call,
  CallTimeout,
  callTimeout,
  type DirectCall,
  type NoResponse,
  type PlatformResponse
} from "../call.ts"
import { lifetimeOfJwt } from "../accessLifetime.ts"
import type { BlueskyConfig } from "../config.ts"
import { orUnavailable } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import {
  type BlueskySession,
  decodeSession,
  encodeSession,
  readSession,
  sessionFrom,
  type SessionResponse
} from "./session.ts"
import { isHandle } from "./syntax.ts"
import { errorDetail, isNotOpen, procedure, rateLimited, xrpcError } from "./xrpc.ts"

/** How hosts are called. */
export interface BlueskyCalls {
  /** Calls addresses that the operator configured. */
  readonly configured: Call
  /** Calls addresses that others chose, in DID documents or over the API: public ones alone. */
  readonly documented: Call
  /** Calls addresses that the operator configured, without a fiber. */
  readonly direct?: DirectCall | undefined
}

/** The PDS that keeps an account's records. */
export interface Pds {
  readonly url: string
  readonly call: Call
}

/** A PDS as one account uses it. */
export interface BlueskyApi {
  /** The PDS that keeps the account's records. */
  readonly pds: (account: AccountAccess) => Effect.Effect<Pds, PlatformError | DatabaseUnavailable>
  /**
   * Sends a request with the account's session. If the PDS responds that the session has expired, renews it and sends the
   * request again: the PDS has not carried out a request that it refuses so. If it responds that the account is not open
   * there, a renewal says whether another PDS keeps the account by now, and the request is sent to that one.
   */
  readonly send: (
    account: AccountAccess,
    request: (pdsUrl: string) => HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<PlatformResponse, NoResponse | PlatformError | DatabaseUnavailable>
  /** Asks the account's service for a new session in place of `stale`. */
  readonly renew: PlatformAdapter["renew"]
}

const isExpired = (response: PlatformResponse): boolean => {
  const error = response.status === 400 ? xrpcError(response)?.error : undefined
  return error === "ExpiredToken" || error === "InvalidToken"
}

/** What a renewed session says about its account, which may have another handle and another PDS by then. */
const renewedAccess = (
  account: Pick<AccountAccess, "serviceUrl">,
  response: SessionResponse,
  service: string,
  guarded: boolean | undefined
): RenewedAccess => {
  const session = sessionFrom(response, service, guarded)
  return {
    credentials: encodeSession(session),
    ...lifetimeOfJwt(session.accessJwt),
    host: session.pdsUrl ?? account.serviceUrl,
    // Without it the account's handle is invalid at the moment, and stays what it was here.
    ...(isHandle(response.handle) && response.handle !== "handle.invalid" ? { username: response.handle } : {})
  }
}

/** How the service that creates a session is called. */
export const serviceCall = (calls: BlueskyCalls, { guarded }: Pick<BlueskySession, "guarded">): Call =>
  guarded === true ? calls.documented : calls.configured

/** The PDS of a session. `service` is where its sessions are created. */
export const pdsOf = (calls: BlueskyCalls, session: BlueskySession, service: string): Pds =>
  session.pdsUrl === null
    ? { url: service, call: serviceCall(calls, session) }
    : { url: session.pdsUrl, call: calls.documented }

export const makeBlueskyApi = (config: BlueskyConfig, calls: BlueskyCalls): BlueskyApi => {
  const serviceUrl = (account: Pick<AccountAccess, "serviceUrl">) => account.serviceUrl ?? config.defaultServiceUrl
  const sessionPds = (account: AccountAccess, session: BlueskySession) => pdsOf(calls, session, serviceUrl(account))

  // Idempotent: for a while a used refresh token still works, and returns the same successor. The request that needs new
  // access may have a longer timeout, as for a video.
  const renew: BlueskyApi["renew"] = Effect.fnUntraced(
    function* (account, stale) {
      const before = yield* decodeSession(stale)
      const service = serviceUrl(account)
      const call = serviceCall(calls, before)
      const response = yield* call(
        HttpClientRequest.bearerToken(procedure(service, "com.atproto.server.refreshSession"), before.refreshJwt)
      ).pipe(orUnavailable)
      const session = response.status === 200 ? readSession(response) : Option.none()
      if (Option.isSome(session) && session.value.did !== account.accountId) {
        return yield* new Unavailable({ message: "Bluesky renewed the session of another account" })
      }
      if (Option.isSome(session)) return renewedAccess(account, session.value, service, before.guarded)
      if (response.status === 429 && xrpcError(response) !== null) return yield* rateLimited(response)
      const detail = errorDetail(response)
      if (xrpcError(response) !== null && [400, 401, 403].includes(response.status)) {
        return yield* new NeedsReauthorization({
          message: `Bluesky does not renew this session (${detail}); connect the account again`
        })
      }
      return yield* new Unavailable({ message: `Bluesky could not renew this session (${detail})` })
    },
    Effect.provideService(CallTimeout, callTimeout)
  )

  const pds = Effect.fnUntraced(function* (account: AccountAccess) {
    return sessionPds(account, yield* decodeSession(yield* account.credentials.current))
  })

  const sendWith = Effect.fnUntraced(function* (
    account: AccountAccess,
    credentials: Redacted.Redacted,
    request: (pdsUrl: string) => HttpClientRequest.HttpClientRequest
  ) {
    const session = yield* decodeSession(credentials)
    const { call, url } = sessionPds(account, session)
    return yield* call(HttpClientRequest.bearerToken(request(url), session.accessJwt))
  })

  const send: BlueskyApi["send"] = Effect.fnUntraced(function* (account, request) {
    const stored = yield* account.credentials.current
    const response = yield* sendWith(account, stored, request)
    const expired = isExpired(response)
    if (!expired && !isNotOpen(response)) return response
    const renewed = yield* account.credentials.refresh(stored, renew(account, stored))
    const before = sessionPds(account, yield* decodeSession(stored)).url
    const moved = sessionPds(account, yield* decodeSession(renewed)).url !== before
    return expired || moved ? yield* sendWith(account, renewed, request) : response
  })

  return { pds, send, renew }
}
