// Sizes in bytes, sides in pixels, times in milliseconds.

/** In UTF-8 bytes. Meta's page says characters, but others' posts of 498 characters and 504 bytes were refused. */
export const text = 500
/** Different links in a text. */
export const links = 5
/** In code points, as is `topic`. */
export const alt = 1_000
export const topic = 50
export const imageBytes = 8_000_000
/** Threads scales wider images down. */
export const imageSide = 1_440
export const imageRatio = 10
export const videoBytes = 1_000_000_000
export const longestVideo = 300_000
export const videoWidth = 1_920
export const slowestFrames = 23
export const videoFrameRate = 60
/** In any 24 hours. */
export const postsPerDay = 250
export const repliesPerDay = 1_000
/** Hours after which Threads forgets a container that was not published. */
export const containerHours = 24
export const accessDays = 60
/** Hours after which Threads renews an access token. */
export const renewalHours = 24
