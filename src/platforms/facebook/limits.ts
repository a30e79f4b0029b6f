// Sizes in bytes, sides in pixels, times in milliseconds.

/** In UTF-16 code units. */
export const text = 63_206
/** In code points. */
export const alt = 1_000
export const imageBytes = 4_000_000
export const imageSide = 2_048
export const videoBytes = 1_000_000_000
export const shortestReel = 3_000
export const longestReel = 90_000
export const reelWidth = 540
export const reelHeight = 960
export const reelFrameRate = 60
export const slowestReelFrames = 24
export const shortestVideo = 1_000
export const longestVideo = 14_400_000
/** The longer side divided by the shorter. */
export const videoRatio = 1.8
export const userTokenDays = 60
