// Limits of the API's inputs, texts in UTF-16 code units.

export const maxTagLength = 256

export const maxReasonLength = 1000

export const maxNameLength = 100

export const minPasswordLength = 12

/** Per workspace. */
export const maxWebhooks = 10

export const maxWebhookDescriptionLength = 200

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
