import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"
import type { Finding } from "./finding.ts"

/** `usd` is what the posts in the window are likely to cost on the platform; null if that is not known. */
export const spendingReached = (platform: LivePlatform, usd: number | null): Finding => {
  const name = platformName(platform)
  const cost = usd === null ? "" : `. The posts until then are likely to cost $${usd.toFixed(3)}`
  return {
    code: "spending_reached",
    level: "needs_you",
    message: `${name} refuses posts, because the service's application has no credits left or has reached its spending limit${cost}`,
    help: `Ask the operator of the service to add credits at ${name}, or to raise the limit`,
    platform,
    integration_id: null
  }
}
