import { Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { LivePlatform } from "../../domain/platform.ts"
import { Grant, type SandboxAccount } from "./entry.ts"
import type { Decision, Store } from "./store.ts"

const accessLifetime = Duration.toMillis(Duration.hours(2))

/** Times are in milliseconds. */
export interface Renewal {
  /** The lifetime of a refresh token. */
  readonly lifetime: number
  /**
   * The time for which a used refresh token gives the same successor again. Null if its reuse revokes its whole family.
   */
  readonly reusableFor: number | null
}

export type TokenRefusal = "unknown" | "ended"

export interface Tokens {
  readonly issue: (account: SandboxAccount) => Effect.Effect<Grant>
  readonly renew: (refreshToken: string) => Effect.Effect<Grant | TokenRefusal>
  /** Ends the token's family; an unknown token changes nothing. */
  readonly revoke: (token: string) => Effect.Effect<void>
}

export const makeTokens = (
  store: Store,
  random: SecureRandom.SecureRandom["Service"],
  platform: LivePlatform,
  { lifetime, reusableFor }: Renewal
): Tokens => {
  const makeGrant = (
    now: number,
    fields: Pick<Grant, "accountId" | "family" | "access" | "refresh" | "replaces">
  ): Grant =>
    Grant.make({ platform, ...fields, at: now, accessUntil: now + accessLifetime, refreshUntil: now + lifetime })

  const token = Effect.map(random.randomBytes(24), Base64Url.encode)
  const randomTokens = Effect.all({ access: token, refresh: token, family: token })

  const issue: Tokens["issue"] = Effect.fnUntraced(function* (account) {
    const fresh = yield* randomTokens
    return yield* store.transact((_, now) => {
      const grant = makeGrant(now, { accountId: account.id, replaces: null, ...fresh })
      return { entries: [grant], result: grant }
    })
  })

  const renew: Tokens["renew"] = Effect.fnUntraced(function* (refreshToken) {
    const fresh = yield* randomTokens
    return yield* store.transact((state, now): Decision<Grant | TokenRefusal> => {
      const known = state.grantByRefreshToken(platform, refreshToken)
      if (known === undefined) return { entries: [], result: "unknown" }
      if (state.isRevoked(known) || now >= known.refreshUntil) return { entries: [], result: "ended" }
      const fields = {
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
      if (reusableFor === null) return { entries: [{ _tag: "Revoked", family: known.family }], result: "ended" }
      if (now >= successor.at + reusableFor) return { entries: [], result: "ended" }
      const grant = makeGrant(now, { ...fields, refresh: successor.refresh })
      return { entries: [grant], result: grant }
    })
  })

  const revoke: Tokens["revoke"] = (revoked) =>
    store.transact((state) => {
      const known = state.grantByRefreshToken(platform, revoked) ?? state.grantByAccessToken(platform, revoked)
      return { entries: known === undefined ? [] : [{ _tag: "Revoked", family: known.family }], result: undefined }
    })

  return { issue, renew, revoke }
}
