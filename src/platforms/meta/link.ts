import { Effect, Option, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import { type Call, makeCall, type PlatformResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { readFrom } from "./api.ts"
import type { Dialect } from "./dialect.ts"
import { problemOf } from "./problem.ts"
import type { TokenConfig, makeTokens } from "./tokens.ts"

interface Owner {
  readonly accountId: string
  readonly username: string
  readonly name?: unknown
  readonly picture?: unknown
}

interface MetaLink {
  readonly dialect: Dialect
  readonly authorizeUrl: string
  readonly scopes: ReadonlyArray<string>
  readonly config: TokenConfig
  readonly tokens: ReturnType<typeof makeTokens>
  /** The scopes without which nothing can be published, and that the person did not allow. */
  readonly missing?: (call: Call, credentials: Redacted.Redacted) => Effect.Effect<ReadonlyArray<string>>
  /** The fields of `/me`, and the account in its answer. */
  readonly ownerFields: string
  readonly ownerIn: (response: PlatformResponse) => Option.Option<Owner>
}

/** Connects accounts on a consent page of Meta, without a choice of account. */
export const makeMetaLink = ({
  authorizeUrl,
  config,
  dialect,
  missing = () => Effect.succeed([]),
  ownerFields,
  ownerIn,
  scopes,
  tokens
}: MetaLink): ConsentLink => {
  const { name } = dialect
  const withCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, name))

  const fetchAccount = Effect.fn(`${name}.fetchAccount`)(function* (
    call: Call,
    credentials: Redacted.Redacted
  ): Effect.fn.Return<
    { accountId: string; username: string; displayName: string | null; avatarUrl: string | null },
    PlatformError
  > {
    const { accessToken, baseUrl } = yield* Effect.fromResult(dialect.readAccess(credentials))
    const request = readFrom("/me", { fields: ownerFields }).pipe(
      HttpClientRequest.prependUrl(baseUrl),
      HttpClientRequest.bearerToken(accessToken)
    )
    const response = yield* orUnavailable(call(request))
    const owner = response.status === 200 ? ownerIn(response) : Option.none()
    if (Option.isNone(owner)) {
      return yield* new Unavailable({
        message: `${name} did not say whose account this is: ${problemOf(response)?.detail ?? `status ${response.status}`}`
      })
    }
    const { accountId, picture, username } = owner.value
    return { accountId, username, displayName: displayName(owner.value.name), avatarUrl: webAddress(picture) }
  })

  return {
    kind: "consent",
    hasApplication: config.clientId !== "",
    authorizeUrl: ({ challenge, redirectUri, state }) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(","),
        state,
        // Meta documents no PKCE. A server ignores the parameters that it does not know (RFC 6749, section 3.1).
        code_challenge: challenge,
        code_challenge_method: "S256"
      })
      return `${authorizeUrl}?${query.toString()}`
    },
    finish: Effect.fn(`${name}.finishLink`)(function* (grant) {
      const call = yield* withCall
      const credentials = tokens.encodeTokens(yield* tokens.tokensForCode(config, call, grant))
      const lacking = yield* missing(call, credentials)
      if (lacking.length > 0) {
        return yield* new Rejected({
          message: `Posts on ${name} also need ${lacking.join(", ")}. Connect the account again, and allow everything`
        })
      }
      return { accounts: [{ ...(yield* fetchAccount(call, credentials)), serviceUrl: null, credentials }] }
    }),
    profile: ({ credentials }) =>
      withCall.pipe(
        Effect.flatMap((call) => fetchAccount(call, credentials)),
        Effect.map(({ accountId: _, ...profile }) => profile)
      ),
    // Meta has no request that ends access. The token is forgotten here; a person can remove the app in the settings.
    revoke: () => Effect.void
  }
}
