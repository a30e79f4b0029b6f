import { Effect, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import { GuardedHttpClient } from "../../outbound/GuardedHttpClient.ts"
import { makeCall } from "../call.ts"
import { orUnavailable } from "../outcome.ts"
import { decodeSession } from "./session.ts"
import { endsSession, errorDetail, procedure, rateLimited, xrpcError } from "./xrpc.ts"

/**
 * Ends the session of stored credentials at the service that created it, the account's `service` or else the default one.
 * A session that has ended already is a success. The access token can work until it expires, two hours at most. Fails if
 * the session may go on, which is no reason to keep the credentials: the owner can still revoke the app password.
 */
export const unlinkBluesky = Effect.fn("unlinkBluesky")(function* (account: {
  readonly service: string
  readonly credentials: Redacted.Redacted
}): Effect.fn.Return<void, PlatformError, HttpClient.HttpClient | GuardedHttpClient> {
  const { guarded, refreshJwt } = yield* decodeSession(account.credentials)
  const call = makeCall(yield* guarded === true ? GuardedHttpClient : HttpClient.HttpClient, "Bluesky")
  const response = yield* call(
    HttpClientRequest.bearerToken(procedure(account.service, "com.atproto.server.deleteSession"), refreshJwt)
  ).pipe(orUnavailable)
  if (response.status === 200 || endsSession(xrpcError(response))) return
  if (response.status === 429) return yield* rateLimited(response)
  return yield* new Unavailable({ message: `Bluesky did not end the session (${errorDetail(response)})` })
})
