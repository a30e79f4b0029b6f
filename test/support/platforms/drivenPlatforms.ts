import { livePlatforms, needsVideo } from "../../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"

/** The platforms that take posts with pictures, which the campaigns and most posts of the simulation have. */
export const drivenPlatforms: ReadonlyArray<LivePlatform> = livePlatforms.filter((platform) => !needsVideo(platform))
