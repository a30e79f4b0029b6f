import { Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { LivePlatform } from "../../domain/platform.ts"
import { Grant, type SandboxAccount } from "./entry.ts"
import type { State } from "./state.ts"
import type { Decision } from "./store.ts"

const usualAccess = Duration.toMillis(Duration.hours(2))

export type FreshTokens = Pick<Grant, "access" | "refresh" | "family">

interface Creation {
  readonly now: number
  readonly fresh: FreshTokens
}

/** Times are in milliseconds. */
export interface Renewal {
  /** The lifetime of access tokens; two hours by default. */
  readonly accessLifetime?: number
  readonly lifetime: number
  /**
   * The time for which a used refresh token returns the same successor again. Null if its reuse revokes its whole
   * family.
   */
  readonly reusableFor: number | null
}

export type TokenRefusal = "unknown" | "ended"

export const randomToken = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(24), Base64Url.encode)

export const drawTokens = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<FreshTokens> => {
  const token = randomToken(random)
  return Effect.all({ access: token, refresh: token, family: token })
}

export const makeTokens = (
  platform: LivePlatform,
  { accessLifetime = usualAccess, lifetime, reusableFor }: Renewal
) => {
  const makeGrant = (now: number, fields: FreshTokens & Pick<Grant, "accountId" | "replaces">): Grant =>
    Grant.make({ platform, ...fields, at: now, accessUntil: now + accessLifetime, refreshUntil: now + lifetime })

  const renew = (state: State, refreshToken: string, { fresh, now }: Creation): Decision<Grant | TokenRefusal> => {
    const known = state.grantByRefreshToken(platform, refreshToken)
    if (known === undefined) return { entries: [], result: "unknown" }
    const { accountId, family } = known
    if (state.isRevoked(known) || now >= known.refreshUntil) return { entries: [], result: "ended" }
    const successor = state.successor(refreshToken)
    if (successor !== undefined && reusableFor === null) {
      return { entries: [{ _tag: "Revoked", family }], result: "ended" }
    }
    if (successor !== undefined && now >= successor.at + (reusableFor ?? 0)) return { entries: [], result: "ended" }
    const refresh = successor?.refresh ?? fresh.refresh
    const grant = makeGrant(now, { accountId, family, access: fresh.access, refresh, replaces: refreshToken })
    return { entries: [grant], result: grant }
  }

  return {
    issue: ({ id }: Pick<SandboxAccount, "id">, { fresh, now }: Creation) =>
      makeGrant(now, { ...fresh, accountId: id, replaces: null }),
    renew,
    /** Ends the token's family; an unknown token changes nothing. */
    revoke: (state: State, token: string): Decision<void> => {
      const known = state.grantByRefreshToken(platform, token) ?? state.grantByAccessToken(platform, token)
      return { entries: known === undefined ? [] : [{ _tag: "Revoked", family: known.family }], result: undefined }
    }
  }
}

export type Tokens = ReturnType<typeof makeTokens>
