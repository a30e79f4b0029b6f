import { Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { LivePlatform } from "../../domain/platform.ts"
import { Grant, type SandboxAccount } from "./entry.ts"
import type { Decision, Store } from "./store.ts"

const accessLifetime = Duration.toMillis(Duration.hours(2))
const refreshLifetime = {
  twitter: Duration.toMillis(Duration.days(180)),
  bluesky: Duration.toMillis(Duration.days(90))
}
/** How long a PDS accepts a refresh token after its first use. */
const reuseWindow = Duration.toMillis(Duration.hours(2))

/** Why a refresh token is refused. */
export type TokenRefusal = "unknown" | "ended"

export interface Tokens {
  /** Issues the first pair of a family. */
  readonly issue: (account: SandboxAccount) => Effect.Effect<Grant>
  /**
   * Issues a pair for a refresh token. On X a refresh token works once, and reuse revokes its whole family. A PDS issues the
   * same successor again.
   */
  readonly renew: (platform: LivePlatform, refreshToken: string) => Effect.Effect<Grant | TokenRefusal>
  /** Ends all tokens of a refresh token's family; returns whether the token is known. */
  readonly end: (platform: LivePlatform, refreshToken: string) => Effect.Effect<boolean>
  /** Ends the family of an access or refresh token; an unknown token changes nothing. */
  readonly revoke: (platform: LivePlatform, token: string) => Effect.Effect<void>
}

const makeGrant = (now: number, fields: Omit<Grant, "_tag" | "at" | "accessUntil" | "refreshUntil">): Grant =>
  Grant.make({
    ...fields,
    at: now,
    accessUntil: now + accessLifetime,
    refreshUntil: now + refreshLifetime[fields.platform]
  })

export const makeTokens = (store: Store, random: SecureRandom.SecureRandom["Service"]): Tokens => {
  const token = Effect.map(random.randomBytes(24), Base64Url.encode)
  const randomTokens = Effect.all({ access: token, refresh: token, family: token })

  const issue: Tokens["issue"] = Effect.fnUntraced(function* (account) {
    const fresh = yield* randomTokens
    return yield* store.transact((_, now) => {
      const grant = makeGrant(now, { platform: account.platform, accountId: account.id, replaces: null, ...fresh })
      return { entries: [grant], result: grant }
    })
  })

  const renew: Tokens["renew"] = Effect.fnUntraced(function* (platform, refreshToken) {
    const fresh = yield* randomTokens
    return yield* store.transact((state, now): Decision<Grant | TokenRefusal> => {
      const known = state.grantByRefreshToken(platform, refreshToken)
      if (known === undefined) return { entries: [], result: "unknown" }
      if (state.isRevoked(known) || now >= known.refreshUntil) return { entries: [], result: "ended" }
      const fields = {
        platform,
        accountId: known.accountId,
        family: known.family,
        access: fresh.access,
        replaces: refreshToken
      }
      const successor = state.successor(refreshToken)
      if (successor === undefined) {
        const grant = makeGrant(now, { ...fields, refresh: fresh.refresh })
        return { entries: [grant], result: grant }
      }
      if (platform === "twitter") return { entries: [{ _tag: "Revoked", family: known.family }], result: "ended" }
      if (now >= successor.at + reuseWindow) return { entries: [], result: "ended" }
      const grant = makeGrant(now, { ...fields, refresh: successor.refresh })
      return { entries: [grant], result: grant }
    })
  })

  const end: Tokens["end"] = (platform, refreshToken) =>
    store.transact((state): Decision<boolean> => {
      const known = state.grantByRefreshToken(platform, refreshToken)
      return known === undefined
        ? { entries: [], result: false }
        : { entries: [{ _tag: "Revoked", family: known.family }], result: true }
    })

  const revoke: Tokens["revoke"] = (platform, revoked) =>
    store.transact((state) => {
      const known = state.grantByRefreshToken(platform, revoked) ?? state.grantByAccessToken(platform, revoked)
      return { entries: known === undefined ? [] : [{ _tag: "Revoked", family: known.family }], result: undefined }
    })

  return { issue, renew, end, revoke }
}
