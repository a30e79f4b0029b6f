// Sizes in bytes, sides in pixels, times in milliseconds.

/** In UTF-16 code units, which are never fewer than other units. */
export const text = 2_200
export const hashtags = 30
export const mentions = 20
/** In code points. */
export const alt = 1_000
export const collaborators = 3
export const files = 10
export const imageBytes = 8_388_608
/** Both ends of the ratio have whole pixels at this side, so that scaling keeps a picture within the ratio. */
export const imageSide = 3_820
/** The width in percent of the height. */
export const narrowest = 80
export const widest = 191
export const videoBytes = 300_000_000
export const storyBytes = 100_000_000
export const shortestVideo = 3_000
export const longestVideo = 900_000
export const longestStory = 60_000
export const videoWidth = 1_920
export const slowestFrames = 23
export const fastestFrames = 60
/** Bits a second. */
export const videoRate = 25_000_000
/** In any 24 hours. */
export const postsPerDay = 50
/** Hours after which Instagram forgets a container that was not published. */
export const containerHours = 24
export const accessDays = 60
export const renewalHours = 24
