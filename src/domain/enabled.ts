import { isLive } from "./plain/platforms.ts"
import { type LivePlatform, type Platform, whyInReview, whyNoAccount } from "./platform.ts"
import type { Rules } from "./posts/platformRules.ts"

/** True if this service publishes to a platform: `rules` has enabled platforms only. */
export const isEnabled = (rules: Rules, platform: Platform): platform is LivePlatform =>
  isLive(platform) && rules[platform] !== undefined

/** The enabled platforms, with their rules. */
export const enabledRules = (rules: Rules, among: ReadonlyArray<Platform>) =>
  among.filter(isLive).flatMap((platform) => {
    const own = rules[platform]
    return own === undefined ? [] : [{ platform, own }]
  })

/** The reason why a workspace without an account can't post on a platform. */
export const whyNotConnected = (platform: Platform, rules: Rules): string =>
  isEnabled(rules, platform) ? whyNoAccount(platform) : whyInReview(platform)
