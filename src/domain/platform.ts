import { Schema } from "effect"

/** Every platform the interface names. */
export const Platform = Schema.Literals([
  "twitter",
  "bluesky",
  "linkedin",
  "instagram",
  "youtube",
  "tiktok",
  "threads",
  "facebook"
])
export type Platform = typeof Platform.Type

/** The platforms that accounts can be connected on and posts sent to; the others are in platform review. */
export const LivePlatform = Schema.Literals(["twitter", "bluesky"])
export type LivePlatform = typeof LivePlatform.Type

export const isLive = Schema.is(LivePlatform)

/** Why a workspace that has no account on a platform can't post there. */
export const whyNotConnected = (platform: Platform): string =>
  isLive(platform)
    ? `${platform} is not connected in this workspace`
    : `${platform} is still in platform review and can't be connected yet`
