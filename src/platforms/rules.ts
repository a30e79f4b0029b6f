import { Context } from "effect"
import { alwaysLive, type LivePlatform } from "../domain/plain/platforms.ts"
import type { PlatformRules, Rules } from "../domain/posts/platformRules.ts"
import { blueskyRules } from "./bluesky/rules/rules.ts"
import { twitterRules } from "./twitter/rules/rules.ts"
import type { TwitterAccess } from "./twitter/facts.ts"

/** The operator's settings that rules depend on. */
interface RulesSettings {
  readonly twitterAccess: TwitterAccess
}

/** The rules of all platforms that have an adapter. */
export const allRules = ({ twitterAccess }: RulesSettings): Readonly<Record<LivePlatform, PlatformRules>> => ({
  twitter: twitterRules(twitterAccess),
  bluesky: blueskyRules
})

/** The rules of the enabled platforms. */
export const makeRules = (settings: RulesSettings, enabled: ReadonlyArray<LivePlatform> = alwaysLive): Rules => {
  const all = allRules(settings)
  return Object.fromEntries(enabled.map((platform) => [platform, all[platform]]))
}

/** The rules of the platforms that are enabled in this service. */
export const CurrentRules = Context.Reference<Rules>("social-publisher/platforms/CurrentRules", {
  defaultValue: () => makeRules({ twitterAccess: "self-serve" })
})
