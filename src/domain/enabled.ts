import { isLive, livePlatforms } from "./plain/platforms.ts"
import { type LivePlatform, type Platform, whyInReview, whyNoAccount } from "./platform.ts"
import type { Rules } from "./posts/platformRules.ts"

/** `rules` contains only enabled platforms. */
export const isEnabled = (rules: Rules, platform: Platform): platform is LivePlatform =>
  isLive(platform) && rules[platform] !== undefined

export const enabledRules = (rules: Rules, among: ReadonlyArray<Platform>) =>
  among.filter(isLive).flatMap((platform) => {
    const own = rules[platform]
    return own === undefined ? [] : [{ platform, own }]
  })

/** In display order. */
export const enabledPlatforms = (rules: Rules): ReadonlyArray<LivePlatform> =>
  livePlatforms.filter((platform) => isEnabled(rules, platform))

export const notConnectedCode = (platform: Platform, rules: Rules) =>
  isEnabled(rules, platform) ? "platform_unconnected" : "platform_in_review"

export const whyNotConnected = (platform: Platform, rules: Rules): string =>
  isEnabled(rules, platform) ? whyNoAccount(platform) : whyInReview(platform)
