// Sizes in bytes, sides in pixels, times in milliseconds.

/** The description, in bytes of UTF-8. */
export const text = 5_000
/** In UTF-16 code units, which are never fewer than other units. */
export const title = 100
/** All tags with the commas between them. A tag with a space counts its quotes, too. */
export const tags = 500
/** In code points. */
export const alt = 10_000
export const thumbnailBytes = 2_000_000
export const thumbnailSide = 1_280
export const videoBytes = 1_000_000_000
export const longestVideo = 43_200_000
/** Longer videos need a channel with a verified phone number. */
export const longestUnverified = 900_000
/** Chunks of an upload are multiples of this. */
export const chunkBytes = 262_144
/** The uploads of all accounts of the application together. */
export const uploadsPerDay = 100
