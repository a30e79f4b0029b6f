// How much text the inputs of the API take, in UTF-16 code units.

export const maxTagLength = 256

/** Of the reason that somebody gives for rejecting a draft. */
export const maxReasonLength = 1000

export const maxNameLength = 100

export const maxWebhookDescriptionLength = 200
