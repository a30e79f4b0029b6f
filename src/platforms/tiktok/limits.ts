// Sizes in bytes, sides in pixels, times in milliseconds.

/** In UTF-16 code units. */
export const text = 2_200
export const videoBytes = 4_000_000_000
export const shortestSide = 360
export const longestSide = 4_096
export const slowestFrames = 23
export const fastestFrames = 60
/** The longest video of any account. Each account names its own limit when a video is sent. */
export const longestVideo = 600_000
/** The smallest part of an upload that is not the whole video. */
export const chunkBytes = 5_242_880
export const chunks = 1_000
/** Minutes for which an upload takes bytes. */
export const uploadMinutes = 60
/** Requests a minute, for each account. */
export const beginningsPerMinute = 6
export const statesPerMinute = 30
export const creatorsPerMinute = 20
/** In any 24 hours, over all applications. */
export const postsPerDay = 15
/** Days after which an unused refresh token ends. */
export const refreshDays = 180
