import { Context } from "effect"
import { alwaysLive, factsOf, type LivePlatform } from "../domain/plain/platforms.ts"
import type { PlatformRules, Rules } from "../domain/posts/platformRules.ts"
import { rememberMeasures } from "../domain/posts/text/rememberMeasures.ts"
import { live } from "./live.ts"
import type { Configured } from "./LiveParts.ts"
import type { LiveFacts } from "./Platform.ts"

/** Refuses the files that a platform would have to fetch, because it can't reach this service. */
const withoutFiles = (
  rules: PlatformRules,
  { name }: Pick<LiveFacts, "name">,
  takesVideos: boolean
): PlatformRules => ({
  ...rules,
  media: {
    ...rules.media,
    ...(takesVideos ? { refusedTypes: ["image", "gif"] } : {}),
    refused: `accepts ${takesVideos ? "pictures" : "files"} only once the service's operator has set PUBLIC_URL, an https address from which ${name} can fetch them`
  }
})

/** The rules of the enabled platforms, with the operator's settings. */
export const makeRules = (
  configured: Readonly<Partial<Record<LivePlatform, Pick<Configured, "rules" | "takesVideos">>>> = {},
  enabled: ReadonlyArray<LivePlatform> = alwaysLive,
  { isReachable = true }: { readonly isReachable?: boolean } = {}
): Rules =>
  Object.fromEntries(
    enabled.map((platform) => {
      const own = factsOf(platform)
      const rules = configured[platform]?.rules ?? live[platform].rules
      const isRefused = own.fetchesFiles === true && !isReachable
      return [
        platform,
        rememberMeasures(isRefused ? withoutFiles(rules, own, configured[platform]?.takesVideos === true) : rules)
      ]
    })
  )

export const CurrentRules = Context.Reference<Rules>("social-publisher/platforms/CurrentRules", {
  defaultValue: () => makeRules()
})
