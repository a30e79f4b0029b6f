import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../domain/platformError.ts"
import { type PlatformResponse, type Call, readResponse } from "../call.ts"
import { orUnavailable } from "../unanswered.ts"
import type { TwitterConfig } from "./config.ts"
import { problemDetail, rateLimited } from "./problem.ts"

/** What is stored of an account's access. Without a refresh token it ends with the access token. */
export const TwitterTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  refreshToken: Schema.NullOr(Schema.NonEmptyString)
})
export type TwitterTokens = typeof TwitterTokens.Type

const Stored = Schema.fromJsonString(TwitterTokens)
const decodeStored = Schema.decodeUnknownOption(Stored)
const encodeStored = Schema.encodeSync(Stored)

const TokenAnswer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  refresh_token: Schema.optionalKey(Schema.NonEmptyString)
})
const readTokens = readResponse(TokenAnswer)
const readError = readResponse(Schema.Struct({ error: Schema.String }))

/** Makes tokens into the credentials to store. */
export const encodeTokens = (tokens: TwitterTokens): Redacted.Redacted => Redacted.make(encodeStored(tokens))

/** Reads stored credentials. */
export const decodeTokens = (credentials: Redacted.Redacted): Effect.Effect<TwitterTokens, NeedsReauthorization> =>
  Effect.mapError(
    Effect.fromOption(decodeStored(Redacted.value(credentials))),
    () => new NeedsReauthorization({ message: "This X account's stored access can't be read; connect it again" })
  )

const refused = (answer: PlatformResponse): Effect.Effect<PlatformError> => {
  const said = problemDetail(answer) ?? `answer ${answer.status}`
  if (answer.status === 429) return rateLimited(answer)
  const error = Option.match(readError(answer), { onNone: () => "", onSome: (told) => told.error })
  // Everything else is about the application, or passes: no reason to make every account connect again.
  return Effect.succeed(
    answer.status === 400 && (error === "invalid_grant" || error === "invalid_request")
      ? new NeedsReauthorization({ message: `X no longer accepts this account's access (${said}); connect it again` })
      : new Unavailable({
          message:
            answer.status === 400 || answer.status === 401
              ? `X does not accept this application (${said}); check TWITTER_CLIENT_ID and TWITTER_CLIENT_SECRET`
              : `X did not give access to this account (${said})`
        })
  )
}

const requestTokens = Effect.fnUntraced(function* (
  config: TwitterConfig,
  call: Call,
  params: Readonly<Record<string, string>>
): Effect.fn.Return<typeof TokenAnswer.Type, PlatformError> {
  const secret = config.clientSecret
  const form = HttpClientRequest.post(`${config.apiUrl}/2/oauth2/token`).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams(secret === null ? { ...params, client_id: config.clientId } : params)
  )
  const answer = yield* call(secret === null ? form : HttpClientRequest.basicAuth(form, config.clientId, secret)).pipe(
    orUnavailable
  )
  if (answer.status !== 200) return yield* Effect.flatMap(refused(answer), Effect.fail)
  return yield* Effect.mapError(
    Effect.fromOption(readTokens(answer)),
    () => new Unavailable({ message: "X answered without the tokens it was asked for" })
  )
})

/** Exchanges the code that X gave after a person agreed. */
export const tokensForCode = (
  config: TwitterConfig,
  call: Call,
  grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly redirectUri: string }
): Effect.Effect<TwitterTokens, PlatformError> =>
  Effect.map(
    requestTokens(config, call, {
      grant_type: "authorization_code",
      code: grant.code,
      code_verifier: Redacted.value(grant.verifier),
      redirect_uri: grant.redirectUri
    }),
    (answer) => ({ accessToken: answer.access_token, refreshToken: answer.refresh_token ?? null })
  )

/** Renews access. The refresh token is spent by it, so the answer must be stored before anything else is done. */
export const renewTokens = (
  config: TwitterConfig,
  call: Call,
  seen: TwitterTokens
): Effect.Effect<TwitterTokens, PlatformError> =>
  seen.refreshToken === null
    ? Effect.fail(new NeedsReauthorization({ message: "This X account's access has run out; connect it again" }))
    : Effect.map(
        requestTokens(config, call, { grant_type: "refresh_token", refresh_token: seen.refreshToken }),
        (answer) => ({ accessToken: answer.access_token, refreshToken: answer.refresh_token ?? seen.refreshToken })
      )
