import { livePlatforms, needsVideo } from "../../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"

/** The platforms on which the simulation and the campaigns publish. Their libraries have no videos for the others. */
export const drivenPlatforms: ReadonlyArray<LivePlatform> = livePlatforms.filter((platform) => !needsVideo(platform))
