import { Effect, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import type { PlatformError } from "../../domain/publishing/platformError.ts"
import type { Call, NoResponse, PlatformResponse } from "../call.ts"
import type { TwitterConfig } from "../config.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { isOwnAnswer } from "./problem.ts"
import { decodeTokens, renewTokens } from "./tokens.ts"

/** X's API as one account uses it. */
export interface TwitterApi {
  /**
   * Sends a request with the account's access token. If X itself refuses the token, renews it and sends the request
   * again: X has not carried out a request that it refuses so. A 401 of something in front of X says nothing about the
   * token.
   */
  readonly send: (
    account: AccountAccess,
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<PlatformResponse, NoResponse | PlatformError | DatabaseUnavailable>
  /** Asks X for new access in place of `stale`. */
  readonly renew: (stale: Redacted.Redacted) => Effect.Effect<RenewedAccess, PlatformError>
}

export const makeTwitterApi = (config: TwitterConfig, call: Call): TwitterApi => {
  const renew: TwitterApi["renew"] = (stale) =>
    Effect.flatMap(decodeTokens(stale), (tokens) => renewTokens(config, call, tokens))
  const sendWith = Effect.fnUntraced(function* (
    credentials: Redacted.Redacted,
    request: HttpClientRequest.HttpClientRequest
  ) {
    const { accessToken } = yield* decodeTokens(credentials)
    return yield* call(HttpClientRequest.bearerToken(request, accessToken))
  })
  const send = Effect.fnUntraced(function* (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) {
    const stored = yield* account.credentials.current
    const response = yield* sendWith(stored, request)
    if (response.status !== 401 || !isOwnAnswer(response)) return response
    const renewed = yield* account.credentials.refresh(stored, renew(stored))
    return yield* sendWith(renewed, request)
  })
  return { send, renew }
}
