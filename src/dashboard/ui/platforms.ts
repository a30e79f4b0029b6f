import type { LivePlatform, Platform } from "../../domain/platform.ts"

/** The names that people know the platforms by. */
export const platformNames: Readonly<Record<Platform, string>> = {
  twitter: "X",
  bluesky: "Bluesky",
  linkedin: "LinkedIn",
  instagram: "Instagram",
  youtube: "YouTube",
  tiktok: "TikTok",
  threads: "Threads",
  facebook: "Facebook"
}

const isPlatform = (name: string): name is Platform => Object.hasOwn(platformNames, name)

export const allPlatforms: ReadonlyArray<Platform> = Object.keys(platformNames).filter((name) => isPlatform(name))

/** The compiler asks for every platform that posts go out on. They are shown in this order. */
const live: Readonly<Record<LivePlatform, true>> = { twitter: true, bluesky: true }

/** Whether posts go out on a platform. */
export const isLive = (platform: string): platform is LivePlatform => Object.hasOwn(live, platform)

/** The platforms that posts go out on. */
export const livePlatforms: ReadonlyArray<LivePlatform> = Object.keys(live).filter((name) => isLive(name))
