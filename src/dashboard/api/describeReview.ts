import { isLive, platformName } from "../../domain/plain/platforms.ts"
import type { Platform } from "../../domain/platform.ts"

/** Without a period. */
export const describeReview = (platform: Platform): string =>
  `${platformName(platform)} is still in platform review and can’t be connected ${
    isLive(platform) ? "until the service’s operator enables it" : "yet"
  }`
