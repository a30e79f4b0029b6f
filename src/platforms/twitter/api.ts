import { Effect, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { PlatformError } from "../../domain/platformError.ts"
import type { PlatformResponse, Call, NoResponse } from "../call.ts"
import type { Account } from "../PlatformClient.ts"
import type { TwitterConfig } from "./config.ts"
import { decodeTokens, renewTokens, encodeTokens } from "./tokens.ts"

/** The API as one account sees it. */
export interface TwitterApi {
  /**
   * Sends a request with the account's access. Where X says that it has run out, renews it and sends the request again,
   * which is safe because X carries nothing out that it answers so.
   */
  readonly send: (
    account: Account,
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<PlatformResponse, NoResponse | PlatformError | DatabaseUnavailable>
}

export const makeTwitterApi = (config: TwitterConfig, call: Call): TwitterApi => {
  const renew = (seen: Redacted.Redacted) =>
    decodeTokens(seen).pipe(
      Effect.flatMap((tokens) => renewTokens(config, call, tokens)),
      Effect.map(encodeTokens)
    )
  const sendWith = Effect.fnUntraced(function* (
    credentials: Redacted.Redacted,
    request: HttpClientRequest.HttpClientRequest
  ) {
    const { accessToken } = yield* decodeTokens(credentials)
    return yield* call(HttpClientRequest.bearerToken(request, accessToken))
  })
  const send = Effect.fnUntraced(function* (account: Account, request: HttpClientRequest.HttpClientRequest) {
    const seen = yield* account.credentials.current
    const answer = yield* sendWith(seen, request)
    if (answer.status !== 401) return answer
    const renewed = yield* account.credentials.refresh(seen, renew(seen))
    return yield* sendWith(renewed, request)
  })
  return { send }
}
