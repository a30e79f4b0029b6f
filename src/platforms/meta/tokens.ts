import { DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { credentialsCodec } from "../credentials.ts"
import { foreignAnswer, orUnavailable } from "../outcome.ts"
import { Token } from "../syntax.ts"
import { isTokenRefused, problemOf } from "./problem.ts"
import { makeRefusals } from "./refusals.ts"

const MetaTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  /** The time at which Meta issued or renewed the token. */
  obtainedAt: Schema.DateTimeUtcFromString
})
type MetaTokens = typeof MetaTokens.Type

const readAccess = readResponse(Schema.Struct({ access_token: Token }))

export interface TokenConfig {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly apiUrl: string
  /** The address that takes codes. */
  readonly codeUrl: string
}

interface TokenDialect {
  readonly name: string
  readonly secretVariable: string
  /** The grant types of the exchange for a long-lived token, and of a renewal. */
  readonly grants: { readonly exchange: string; readonly renewal: string }
  readonly renewalHours: number
  readonly accessDays: number
  /** Reads the token of an hour. Its platform may wrap the answer, which the platforms' long-lived tokens are not. */
  readonly readShort?: (response: PlatformResponse) => Option.Option<{ readonly access_token: string }>
}

/** The shortest lifetime that `accessLifetime.ts` accepts. */
const soon = Duration.minutes(10)

/** Tokens of 60 days, from a code or from the token before. */
export const makeTokens = ({
  accessDays,
  grants,
  name,
  readShort = readAccess,
  renewalHours,
  secretVariable
}: TokenDialect) => {
  const { decode: decodeTokens, encode: encodeTokens, read: readTokens } = credentialsCodec(name, MetaTokens)
  const { refusedIdly } = makeRefusals(name)

  const refusedTokens = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
    const problem = problemOf(response)
    if (problem === undefined) return new Unavailable({ message: foreignAnswer(name, response).message })
    if (isTokenRefused(problem)) return refusedIdly(response, now)
    return new Unavailable({ message: `${name} did not give access to this account (${problem.detail})` })
  }

  const requestAccess = Effect.fnUntraced(function* (
    call: Call,
    request: HttpClientRequest.HttpClientRequest,
    read: typeof readShort = readAccess
  ): Effect.fn.Return<MetaTokens, PlatformError> {
    // Not traced: Meta takes tokens and secrets in the URL here, and a trace would have it.
    const response = yield* orUnavailable(call(HttpClientRequest.acceptJson(request))).pipe(
      Effect.withTracerEnabled(false)
    )
    const obtainedAt = yield* DateTime.now
    const access = response.status === 200 ? read(response) : Option.none()
    return Option.isSome(access)
      ? { accessToken: access.value.access_token, obtainedAt }
      : yield* refusedTokens(response, obtainedAt)
  })

  const requireSecret = ({ clientSecret }: TokenConfig) =>
    clientSecret === null
      ? Effect.fail(new Rejected({ message: `${secretVariable}: required to connect ${name} accounts` }))
      : Effect.succeed(Redacted.value(clientSecret))

  /** Exchanges a code for a token of an hour, and that for a token of 60 days. */
  const tokensForCode = Effect.fnUntraced(function* (
    config: TokenConfig,
    call: Call,
    { code, redirectUri }: { readonly code: string; readonly redirectUri: string }
  ) {
    const secret = yield* requireSecret(config)
    const short = yield* requestAccess(
      call,
      HttpClientRequest.post(config.codeUrl).pipe(
        HttpClientRequest.bodyUrlParams({
          client_id: config.clientId,
          client_secret: secret,
          grant_type: "authorization_code",
          redirect_uri: redirectUri,
          code
        })
      ),
      readShort
    )
    return yield* requestAccess(
      call,
      HttpClientRequest.get(`${config.apiUrl}/access_token`, {
        urlParams: { grant_type: grants.exchange, client_secret: secret, access_token: short.accessToken }
      })
    )
  })

  const untilRenewal = Duration.hours(renewalHours)

  /**
   * Renews a token from its second day on, for another 60 days. The stated lifetime is the time until the next renewal,
   * so that access never comes near its end. Meta refuses to renew a younger token, so it is returned as it is.
   */
  const renewAccess = Effect.fnUntraced(function* (
    { apiUrl }: Pick<TokenConfig, "apiUrl">,
    call: Call,
    stale: Redacted.Redacted
  ): Effect.fn.Return<RenewedAccess, PlatformError> {
    const tokens = yield* decodeTokens(stale)
    const age = DateTime.distance(tokens.obtainedAt, yield* DateTime.now)
    if (Duration.isLessThan(age, untilRenewal)) {
      const rest = Duration.subtract(untilRenewal, Duration.max(age, Duration.zero))
      return { credentials: stale, lifetime: Duration.max(rest, soon) }
    }
    if (Duration.isGreaterThan(age, Duration.days(accessDays))) {
      return yield* new NeedsReauthorization({
        message: `This ${name} account's access has expired; connect it again`
      })
    }
    const renewed = yield* requestAccess(
      call,
      HttpClientRequest.get(`${apiUrl}/refresh_access_token`, {
        urlParams: { grant_type: grants.renewal, access_token: tokens.accessToken }
      })
    )
    return { credentials: encodeTokens(renewed), lifetime: untilRenewal }
  })

  return { decodeTokens, encodeTokens, readTokens, tokensForCode, renewAccess }
}
