import { Context, Data, Effect, Layer, Record, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { AccountProfile, ConnectedAccount } from "../domain/accounts/integration.ts"
import { alwaysLive, platformName } from "../domain/plain/platforms.ts"
import { type LivePlatform, whyInReview } from "../domain/platform.ts"
import { type LinkRefused, type PlatformError, Rejected } from "../domain/publishing/platformError.ts"
import type { Connections } from "./Connection.ts"
import { liveFacts } from "./facts.ts"
import type { AccountOffer, ConsentLink, FormLink, FormValues, LinkClients, StoredAccess } from "./Link.ts"
import type { ConsentPlatform, FormPlatform } from "./links.ts"

/**
 * Single-use random values for OAuth 2.0 with PKCE. The platform must return `state` with the code, which prevents
 * CSRF. The platform first gets `challenge`, a hash of `verifier`, and gets `verifier` with the code.
 */
export const makeConsentRequest = Effect.fn("makeConsentRequest")(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const state = Base64Url.encode(yield* random.randomBytes(24))
  const verifier = Base64Url.encode(yield* random.randomBytes(48))
  const challenge = yield* digest.digest(Digest.sha256, new TextEncoder().encode(verifier))
  return { state, verifier: Redacted.make(verifier), challenge: Base64Url.encode(challenge) }
})

export const callbackPath = (platform: ConsentPlatform) => `/oauth/${platform}/callback` as const

const redirectUri = (baseUrl: string | null, platform: ConsentPlatform): Effect.Effect<string, Rejected> =>
  baseUrl === null
    ? new Rejected({
        message: `BASE_URL: set it, or PORT, to the same value as for the service, or start the service with this DATA_DIR: ${platformName(platform)} has to send people back there`
      })
    : Effect.succeed(`${baseUrl}${callbackPath(platform)}`)

export class PlatformInReview extends Data.TaggedError("PlatformInReview")<{ readonly message: string }> {}

const requireEnabled = (enabled: ReadonlyArray<LivePlatform>, platform: LivePlatform) =>
  enabled.includes(platform) ? Effect.void : new PlatformInReview({ message: whyInReview(platform) })

const otherKind = (platform: LivePlatform) => `The facts of ${platform} say that accounts are connected in another way`

/** The name of a further consent begins its state, which is random otherwise and so has no full stop. */
const consentOf = (state = ""): string | undefined => /^([a-z]+)\./.exec(state)?.[1]

export interface LinkedAccount extends ConnectedAccount {
  readonly platform: LivePlatform
}

export class AccountLinking extends Context.Service<
  AccountLinking,
  {
    /** If `guarded`, as for requests over the API, an address in the values must be public. */
    readonly logIn: (
      platform: FormPlatform,
      values: FormValues,
      options?: { readonly guarded: boolean }
    ) => Effect.Effect<LinkedAccount, PlatformError | LinkRefused | PlatformInReview>
    /**
     * A person opens the returned URL. `state` and `verifier` can finish the authorization once. `consent` is the
     * further consent of an offer.
     */
    readonly begin: (
      platform: ConsentPlatform,
      consent?: string
    ) => Effect.Effect<
      {
        readonly url: string
        readonly state: string
        readonly verifier: Redacted.Redacted
      },
      Rejected | PlatformInReview
    >
    /** Exchanges the code for the accounts that a person can choose from; most platforms offer one. */
    readonly finish: (
      platform: ConsentPlatform,
      grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly state?: string }
    ) => Effect.Effect<AccountOffer<LinkedAccount>, PlatformError>
    readonly profile: (
      account: StoredAccess & { readonly platform: LivePlatform; readonly accountId: string }
    ) => Effect.Effect<AccountProfile, PlatformError>
    /** `revokes` in the platform's facts tells if this also revokes other access of the account. */
    readonly revoke: (access: StoredAccess & { readonly platform: LivePlatform }) => Effect.Effect<void, PlatformError>
  }
>()("social-publisher/platforms/AccountLinking") {
  /** `baseUrl` is the service's address for browsers, if it is known. */
  static readonly layer = (
    platforms: Connections,
    baseUrl: string | null,
    where: "live" | "sandbox",
    enabled: ReadonlyArray<LivePlatform> = alwaysLive
  ) =>
    Layer.effect(
      AccountLinking,
      Effect.gen(function* () {
        const context = yield* Effect.context<LinkClients | SecureRandom.SecureRandom | Digest.Digest>()
        const links = Record.map(platforms, ({ makeLink }) => makeLink(where))
        const formLink = (platform: FormPlatform): Effect.Effect<FormLink> => {
          const link = links[platform]
          return link.kind === "form" ? Effect.succeed(link) : Effect.die(otherKind(platform))
        }
        const consentLink = (platform: ConsentPlatform): Effect.Effect<ConsentLink> => {
          const link = links[platform]
          return link.kind === "consent" ? Effect.succeed(link) : Effect.die(otherKind(platform))
        }
        return AccountLinking.of({
          logIn: (platform, values, options = { guarded: false }) =>
            requireEnabled(enabled, platform).pipe(
              Effect.andThen(formLink(platform)),
              Effect.flatMap(({ logIn }) => logIn(values, options)),
              Effect.map((account) => ({ platform, ...account })),
              Effect.provideContext(context)
            ),
          begin: Effect.fnUntraced(function* (platform, consent) {
            yield* requireEnabled(enabled, platform)
            const link = yield* consentLink(platform)
            if (!link.hasApplication) {
              return yield* new Rejected({
                message: `${liveFacts[platform].link.application}: required to connect ${platformName(platform)} accounts`
              })
            }
            const uri = yield* redirectUri(baseUrl, platform)
            const { challenge, state: random, verifier } = yield* makeConsentRequest()
            const state = consent === undefined ? random : `${consent}.${random}`
            return { url: link.authorizeUrl({ redirectUri: uri, state, challenge, consent }), state, verifier }
          }, Effect.provideContext(context)),
          finish: (platform, grant) =>
            Effect.all([redirectUri(baseUrl, platform), consentLink(platform)]).pipe(
              Effect.flatMap(([uri, link]) =>
                link.finish({ ...grant, consent: consentOf(grant.state), redirectUri: uri })
              ),
              Effect.map(({ accounts, further }) => ({
                accounts: accounts.map((account) => ({ platform, ...account })),
                further
              })),
              Effect.provideContext(context)
            ),
          profile: ({ platform, ...account }) => Effect.provideContext(links[platform].profile(account), context),
          revoke: ({ platform, ...access }) => Effect.provideContext(links[platform].revoke(access), context)
        })
      })
    )
}
