import type { LivePlatform } from "../../domain/platform.ts"

/** The compiler asks for every platform that posts go out on. They are shown in this order. */
const live: Readonly<Record<LivePlatform, true>> = { twitter: true, bluesky: true }

/** Whether posts go out on a platform. */
export const isLive = (platform: string): platform is LivePlatform => Object.hasOwn(live, platform)

/** The platforms that posts go out on. */
export const livePlatforms: ReadonlyArray<LivePlatform> = Object.keys(live).filter((name) => isLive(name))
