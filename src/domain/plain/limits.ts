// Limits of the API's inputs, texts in UTF-16 code units.

/** Three times the highest limit of a live platform. Bounds the time to measure a text and the memory of a page. */
export const maxTextLength = 10_000

/** In characters, and per post. */
export const maxTagLength = 50
export const maxTags = 50

/** Earlier versions stored tags of this many code units. */
export const maxStoredTagLength = 256

export const maxReasonLength = 1000

export const maxNameLength = 100

export const minPasswordLength = 12

/** Per workspace. */
export const maxWebhooks = 10

export const maxWebhookDescriptionLength = 200

/** Per workspace. */
export const maxChannels = 10

/** Accepted by at least one platform. */
export const mediaTypes = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "video/mp4",
  "video/quicktime",
  "video/webm"
] as const

/** In bytes. */
export const maxImageBytes = 30_000_000
export const maxVideoBytes = 1_000_000_000
