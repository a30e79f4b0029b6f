// Times in milliseconds, sizes in bytes, sides in pixels.

/** In graphemes. */
export const text = 300
export const textBytes = 3_000
/** In graphemes. */
export const alt = 2_000
export const imageBytes = 2_000_000
export const imageSide = 4_000
export const cardPictureBytes = 1_000_000
export const videoBytes = 300_000_000
export const longestVideo = 600_000
