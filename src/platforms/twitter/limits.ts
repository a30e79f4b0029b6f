// Times in milliseconds, sizes in bytes, sides in pixels.

export const text = 280
/** Every link counts as this length. */
export const link = 23
/** In code points. */
export const alt = 1_000
export const imageBytes = 5_000_000
/** X shows images with up to this many pixels a side. */
export const imageSide = 4_096
export const gifBytes = 15_000_000
export const gifLongestSide = 1280
export const gifShortestSide = 1080
export const gifFrames = 350
/** Over all frames. */
export const gifPixels = 300_000_000
/** Premium accounts have this. Others have 8 GB. */
export const videoBytes = 16_000_000_000
/** Premium accounts have this. Others have 20 minutes. */
export const longestVideo = 125 * 60_000
/** Up to here, X took videos from every account before September 2026. Beyond, the account decides. */
export const videoOfEveryAccount = 140_000
export const shortestVideo = 500
/** "Media best practices" has 1280x1024, and says that subscribers upload 1080p. */
export const videoLongestSide = 1920
export const videoShortestSide = 1200
export const videoSmallestSide = 32
export const videoRatio = 3
export const videoFrameRate = 60
export const audioChannels = 2
export const videoBitDepth = 8
export const keyframeDistance = 512
export const uploadSegments = 1_000
