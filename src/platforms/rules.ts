import { Context } from "effect"
import { alwaysLive, type LivePlatform } from "../domain/plain/platforms.ts"
import type { Rules } from "../domain/posts/platformRules.ts"
import { rememberMeasures } from "../domain/posts/text/rememberMeasures.ts"
import { live } from "./live.ts"
import type { Configured } from "./LiveParts.ts"

/** The rules of the enabled platforms, with the operator's settings. */
export const makeRules = (
  configured: Readonly<Partial<Record<LivePlatform, Pick<Configured, "rules">>>> = {},
  enabled: ReadonlyArray<LivePlatform> = alwaysLive
): Rules =>
  Object.fromEntries(
    enabled.map((platform) => [platform, rememberMeasures(configured[platform]?.rules ?? live[platform].rules)])
  )

export const CurrentRules = Context.Reference<Rules>("social-publisher/platforms/CurrentRules", {
  defaultValue: () => makeRules()
})
