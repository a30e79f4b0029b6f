import { type DateTime, Effect, Option, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { NeedsReauthorization, Unavailable } from "../../domain/publishing/platformError.ts"
import { type Answer, CallTimeout, callTimeout, type PlatformResponse } from "../call.ts"
import { lifetimeOfJwt } from "../accessLifetime.ts"
import { carryOut } from "../carryOut.ts"
import type { BlueskyConfig } from "./config.ts"
import { orUnavailable } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step, type Through } from "../steps.ts"
import {
  type BlueskySession,
  decodeSession,
  encodeSession,
  readSession,
  readStoredSession,
  sessionFrom,
  type SessionResponse
} from "./session.ts"
import { isHandle } from "./syntax.ts"
import { errorDetail, isNotOpen, procedure, rateLimited, xrpcError } from "./xrpc.ts"

export type BlueskyCalls = PlatformAdapter["calls"]

export interface Pds {
  readonly url: string
  readonly through: Through
}

type PdsRequest = (pdsUrl: string) => HttpClientRequest.HttpClientRequest

interface AuthorizedRequest<A, E> {
  readonly request: PdsRequest
  readonly shows: RequestStep<A, E>["shows"]
  /** `access` is the access of the last request. */
  readonly next: (answer: Answer, now: DateTime.Utc, access: OpenAccess) => Step<A, E>
}

const hasExpired = (response: PlatformResponse): boolean => {
  const error = response.status === 400 ? xrpcError(response)?.error : undefined
  return error === "ExpiredToken" || error === "InvalidToken"
}

/** The handle and the PDS may have changed. */
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
    // An invalid handle is temporary, so the account keeps its stored handle.
    ...(isHandle(response.handle) && response.handle !== "handle.invalid" ? { username: response.handle } : {})
  }
}

export const throughService = ({ guarded }: Pick<BlueskySession, "guarded">): Through =>
  guarded === true ? "guarded" : "configured"

/** `service` creates the account's sessions. */
export const pdsOf = (session: BlueskySession, service: string): Pds =>
  session.pdsUrl === null
    ? { url: service, through: throughService(session) }
    : { url: session.pdsUrl, through: "guarded" }

export const makeBlueskyApi = (config: BlueskyConfig, calls: BlueskyCalls) => {
  const serviceUrl = (account: Pick<AccountAccess, "serviceUrl">) => account.serviceUrl ?? config.defaultServiceUrl

  // Can be repeated, because for a while a used refresh token still works, and returns the same successor. Has the
  // usual timeout even within a request with a longer one, such as a video's.
  const renew: PlatformAdapter["renew"] = Effect.fnUntraced(
    function* (account, stale) {
      const before = yield* decodeSession(stale)
      const service = serviceUrl(account)
      const response = yield* calls[throughService(before)](
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
    return pdsOf(yield* decodeSession(yield* account.credentials.current), serviceUrl(account))
  })

  /**
   * Sends with the account's session. A PDS that reports an expired session has not carried out the request, so it is
   * sent again with a renewed session. If the PDS reports that the account is not open there, the request goes to the
   * new PDS that the renewal may name.
   */
  const authorized = <A, E>(
    { next, request, shows }: AuthorizedRequest<A, E>,
    access: OpenAccess
  ): Step<A, E | NeedsReauthorization> => {
    const service = serviceUrl(access)
    const stored = readStoredSession(access.credentials)
    if (Result.isFailure(stored)) return fail(stored.failure)
    const before = pdsOf(stored.success, service)
    return {
      _tag: "Request",
      request: HttpClientRequest.bearerToken(request(before.url), stored.success.accessJwt),
      through: before.through,
      shows,
      next: (answer, now) => {
        const isExpired = Result.isSuccess(answer) && hasExpired(answer.success)
        if (!isExpired && !(Result.isSuccess(answer) && isNotOpen(answer.success))) return next(answer, now, access)
        return {
          _tag: "Renew",
          next: (renewed) => {
            const session = readStoredSession(renewed.credentials)
            if (Result.isFailure(session)) return fail(session.failure)
            const { through, url } = pdsOf(session.success, service)
            if (!isExpired && url === before.url) return next(answer, now, renewed)
            return {
              _tag: "Request",
              request: HttpClientRequest.bearerToken(request(url), session.success.accessJwt),
              through,
              shows,
              next: (again, at) => next(again, at, renewed)
            }
          }
        }
      }
    }
  }

  const send = (account: AccountAccess, request: PdsRequest) =>
    carryOut({ calls, renew }, account, (access) =>
      authorized({ request, shows: "nothing", next: (answer) => end(answer) }, access)
    )

  return { pds, authorized, send, calls, renew }
}

export type BlueskyApi = ReturnType<typeof makeBlueskyApi>
