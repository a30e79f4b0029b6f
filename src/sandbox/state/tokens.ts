import { Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { LivePlatform } from "../../domain/platform.ts"
import { Grant, type SandboxAccount } from "./entry.ts"
import type { Decision, SandboxStore } from "./store.ts"

const accessLife = Duration.toMillis(Duration.hours(2))
const refreshLife = { twitter: Duration.toMillis(Duration.days(180)), bluesky: Duration.toMillis(Duration.days(90)) }
/** How long a PDS still takes a refresh token that was used. */
const graceAfterUse = Duration.toMillis(Duration.hours(2))

/** Why a refresh token is not taken. */
export type TokenRefusal = "unknown" | "ended"

export interface SandboxTokens {
  readonly issue: (account: SandboxAccount) => Effect.Effect<Grant>
  /** By X's rules a refresh token works once, and a second use ends all that came of it. By a PDS's a used one gives its successor again. */
  readonly renew: (platform: LivePlatform, refreshToken: string) => Effect.Effect<Grant | TokenRefusal>
}

const grantAt = (now: number, given: Omit<Grant, "_tag" | "at" | "accessUntil" | "refreshUntil">): Grant =>
  Grant.make({ ...given, at: now, accessUntil: now + accessLife, refreshUntil: now + refreshLife[given.platform] })

export const makeSandboxTokens = (store: SandboxStore, random: SecureRandom.SecureRandom["Service"]): SandboxTokens => {
  const token = Effect.map(random.randomBytes(24), Base64Url.encode)
  const pair = Effect.all({ access: token, refresh: token, family: token })

  const issue: SandboxTokens["issue"] = Effect.fnUntraced(function* (account) {
    const fresh = yield* pair
    return yield* store.transact((_, now) => {
      const answer = grantAt(now, { platform: account.platform, accountId: account.id, replaces: null, ...fresh })
      return { happens: [answer], answer }
    })
  })

  const renew: SandboxTokens["renew"] = Effect.fnUntraced(function* (platform, refreshToken) {
    const fresh = yield* pair
    return yield* store.transact((state, now): Decision<Grant | TokenRefusal> => {
      const seen = state.grantFor(platform, refreshToken)
      if (seen === undefined) return { happens: [], answer: "unknown" }
      if (state.isRevoked(seen) || now >= seen.refreshUntil) return { happens: [], answer: "ended" }
      const given = {
        platform,
        accountId: seen.accountId,
        family: seen.family,
        access: fresh.access,
        replaces: refreshToken
      }
      const used = state.successor(refreshToken)
      if (used === undefined) {
        const answer = grantAt(now, { ...given, refresh: fresh.refresh })
        return { happens: [answer], answer }
      }
      if (platform === "twitter") return { happens: [{ _tag: "Revoked", family: seen.family }], answer: "ended" }
      if (now >= used.at + graceAfterUse) return { happens: [], answer: "ended" }
      const answer = grantAt(now, { ...given, refresh: used.refresh })
      return { happens: [answer], answer }
    })
  })

  return { issue, renew }
}
