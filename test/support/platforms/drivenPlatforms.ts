import type { LivePlatform } from "../../../src/domain/platform.ts"

/** The platforms on which the simulation and the campaigns publish. */
export const drivenPlatforms: ReadonlyArray<LivePlatform> = ["twitter", "bluesky", "linkedin", "threads"]
