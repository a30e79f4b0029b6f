// Times in milliseconds, sizes in bytes, sides in pixels.

/** In UTF-16 code units, without the escapes that are sent. */
export const text = 3_000
/** In code points. */
export const alt = 4_086
export const imageBytes = 5_000_000
export const imageSide = 4_096
export const gifFrames = 250
export const cardPictureBytes = 1_000_000
export const videoBytes = 500_000_000
export const smallestVideoBytes = 75_000
export const shortestVideo = 3_000
export const longestVideo = 30 * 60_000
/** In days. */
export const accessDays = 60
/** A longer text is shown in part, as is one with more lines. */
export const foldedText = 200
export const foldedLines = 3
