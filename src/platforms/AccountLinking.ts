import { Context, Effect, Layer, type Redacted } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { HttpClient } from "effect/http"
import type { AccountProfile, ConnectedAccount } from "../domain/accounts/integration.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { type LinkRefused, type PlatformError, Rejected } from "../domain/publishing/platformError.ts"
import type { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import { fetchBlueskyProfile, linkBluesky } from "./bluesky/linkAccount.ts"
import { decodeSession } from "./bluesky/session.ts"
import { unlinkBluesky } from "./bluesky/unlinkAccount.ts"
import type { PlatformsConfig } from "./config.ts"
import {
  authorizeUrl,
  createAuthorizationRequest,
  exchangeCode,
  fetchAccount,
  revokeAccess
} from "./twitter/linkAccount.ts"

/** The path under the service's own address that X sends a person back to. */
export const twitterCallbackPath = "/oauth/twitter/callback"

/** Links the accounts of people: a log-in on Bluesky, OAuth 2.0 with PKCE on X. */
export class AccountLinking extends Context.Service<
  AccountLinking,
  {
    /**
     * `service` null means the default PDS. One that was `guarded`, because it was named over the API, has to have a public
     * address from then on. The app password is not kept.
     */
    readonly linkBluesky: (login: {
      readonly service: string | null
      readonly identifier: string
      readonly password: Redacted.Redacted
      readonly guarded?: boolean
    }) => Effect.Effect<ConnectedAccount, PlatformError | LinkRefused>
    /** The URL that a person opens to authorize this application, and the state and verifier that finish it, once. */
    readonly beginTwitterLink: Effect.Effect<
      {
        readonly url: string
        readonly state: string
        readonly verifier: Redacted.Redacted
      },
      Rejected
    >
    /** Exchanges the code that X sent the person back with. */
    readonly finishTwitterLink: (grant: {
      readonly code: string
      readonly verifier: Redacted.Redacted
    }) => Effect.Effect<ConnectedAccount, PlatformError>
    /** Fetches a connected account's profile, with credentials that have not expired. */
    readonly profile: (account: {
      readonly platform: LivePlatform
      readonly accountId: string
      readonly serviceUrl: string | null
      readonly credentials: Redacted.Redacted
    }) => Effect.Effect<AccountProfile, PlatformError>
    /** Ends access at its platform. On X other access to the account may end with it. */
    readonly revoke: (access: {
      readonly platform: LivePlatform
      readonly serviceUrl: string | null
      readonly credentials: Redacted.Redacted
    }) => Effect.Effect<void, PlatformError>
  }
>()("social-publisher/platforms/AccountLinking") {
  /**
   * `baseUrl` is the service's address for browsers, or null where a command can't know it. An account stays with the PDS that it was linked at, unless that is
   * the sandbox, whose address changes with each start.
   */
  static readonly layer = (platforms: PlatformsConfig, baseUrl: string | null, where: "live" | "sandbox") =>
    Layer.effect(
      AccountLinking,
      Effect.gen(function* () {
        const context = yield* Effect.context<
          HttpClient.HttpClient | GuardedHttpClient | SecureRandom.SecureRandom | Digest.Digest
        >()
        const redirectUri: Effect.Effect<string, Rejected> =
          baseUrl === null
            ? Effect.fail(
                new Rejected({
                  message:
                    "BASE_URL: set it, or PORT, as for the service, or start the service with this DATA_DIR: X has to send people back there"
                })
              )
            : Effect.succeed(`${baseUrl}${twitterCallbackPath}`)
        const defaultService = platforms.bluesky.defaultServiceUrl
        const isDefault = (service: string | null) =>
          service === null || URL.parse(service)?.origin === new URL(defaultService).origin
        return AccountLinking.of({
          linkBluesky: ({ guarded = false, service, ...login }) =>
            linkBluesky({
              ...login,
              service: service ?? defaultService,
              guarded: guarded && !isDefault(service)
            }).pipe(
              Effect.flatMap((account) => {
                const serviceUrl = where === "sandbox" && isDefault(service) ? null : account.serviceUrl
                return Effect.map(decodeSession(account.credentials), ({ pdsUrl }) => ({
                  ...account,
                  serviceUrl,
                  host: pdsUrl ?? serviceUrl
                }))
              }),
              Effect.provideContext(context)
            ),
          beginTwitterLink: Effect.gen(function* () {
            if (platforms.twitter.clientId === "") {
              return yield* new Rejected({ message: "TWITTER_CLIENT_ID: required to connect X accounts" })
            }
            const uri = yield* redirectUri
            const { challenge, state, verifier } = yield* createAuthorizationRequest()
            return { url: authorizeUrl(platforms.twitter, { redirectUri: uri, state, challenge }), state, verifier }
          }).pipe(Effect.provideContext(context)),
          finishTwitterLink: (grant) =>
            redirectUri.pipe(
              Effect.flatMap((uri) => exchangeCode(platforms.twitter, { ...grant, redirectUri: uri })),
              Effect.flatMap((credentials) => fetchAccount(platforms.twitter, credentials)),
              Effect.provideContext(context)
            ),
          profile: ({ accountId, credentials, platform, serviceUrl }) =>
            (platform === "twitter"
              ? fetchAccount(platforms.twitter, credentials)
              : fetchBlueskyProfile({
                  accountId,
                  credentials,
                  service: serviceUrl ?? platforms.bluesky.defaultServiceUrl
                })
            ).pipe(
              Effect.map(({ avatarUrl, displayName, username }) => ({ avatarUrl, displayName, username })),
              Effect.provideContext(context)
            ),
          revoke: ({ credentials, platform, serviceUrl }) =>
            (platform === "twitter"
              ? revokeAccess(platforms.twitter, credentials)
              : unlinkBluesky({ service: serviceUrl ?? platforms.bluesky.defaultServiceUrl, credentials })
            ).pipe(Effect.provideContext(context))
        })
      })
    )
}
