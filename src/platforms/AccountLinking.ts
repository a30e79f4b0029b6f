import { Context, Effect, Layer, type Redacted } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { HttpClient } from "effect/http"
import { type PlatformError, Rejected } from "../domain/platformError.ts"
import { linkBluesky } from "./bluesky/linkAccount.ts"
import type { PlatformsConfig } from "./layer.ts"
import type { ConnectedAccount } from "./PlatformClient.ts"
import { authorizeUrl, exchangeCode, newAuthorizationRequest, whoAmI } from "./twitter/linkAccount.ts"

/** Where X sends a person back to, under the service's own address. */
export const twitterCallbackPath = "/oauth/twitter/callback"

/** Connecting accounts, as a person does. */
export class AccountLinking extends Context.Service<
  AccountLinking,
  {
    /** `service` null means the default PDS. The app password is not kept. */
    readonly bluesky: (login: {
      readonly service: string | null
      readonly identifier: string
      readonly password: Redacted.Redacted
    }) => Effect.Effect<ConnectedAccount, PlatformError>
    /** What a person opens to let this application post, and what will finish that: both are used once. */
    readonly beginTwitter: Effect.Effect<
      {
        readonly url: string
        readonly state: string
        readonly verifier: Redacted.Redacted
      },
      Rejected
    >
    /** Exchanges the code that X sent the person back with. */
    readonly finishTwitter: (grant: {
      readonly code: string
      readonly verifier: Redacted.Redacted
    }) => Effect.Effect<ConnectedAccount, PlatformError>
  }
>()("social-publisher/platforms/AccountLinking") {
  /**
   * `baseUrl` is the address that browsers reach the service under. An account stays with the PDS that it was connected at,
   * unless that is the sandbox, which has another address after each start.
   */
  static readonly layer = (platforms: PlatformsConfig, baseUrl: string, where: "live" | "sandbox") =>
    Layer.effect(
      AccountLinking,
      Effect.gen(function* () {
        const context = yield* Effect.context<HttpClient.HttpClient | SecureRandom.SecureRandom | Digest.Digest>()
        const redirectUri = `${baseUrl}${twitterCallbackPath}`
        return AccountLinking.of({
          bluesky: (login) =>
            linkBluesky({ ...login, service: login.service ?? platforms.bluesky.defaultServiceUrl }).pipe(
              Effect.map((account) => (where === "sandbox" ? { ...account, serviceUrl: null } : account)),
              Effect.provideContext(context)
            ),
          beginTwitter:
            platforms.twitter.clientId === ""
              ? Effect.fail(new Rejected({ message: "TWITTER_CLIENT_ID: required to connect X accounts" }))
              : Effect.map(newAuthorizationRequest(), ({ challenge, state, verifier }) => ({
                  url: authorizeUrl(platforms.twitter, { redirectUri, state, challenge }),
                  state,
                  verifier
                })).pipe(Effect.provideContext(context)),
          finishTwitter: (grant) =>
            exchangeCode(platforms.twitter, { ...grant, redirectUri }).pipe(
              Effect.flatMap((credentials) => whoAmI(platforms.twitter, credentials)),
              Effect.provideContext(context)
            )
        })
      })
    )
}
