import { Schema } from "effect"

/** X's identifiers are checked, because they are stored, become parts of URLs, and order posts by time. */

export const XId = Schema.String.check(Schema.isPattern(/^\d{1,20}$/, { expected: "an id of X" }))

export const MediaKey = Schema.String.check(Schema.isPattern(/^\d{1,3}_\d{1,20}$/, { expected: "a media key of X" }))

/** X allows 15 characters, but has a few longer handles from earlier times. */
export const Username = Schema.String.check(Schema.isPattern(/^\w{1,50}$/, { expected: "a username of X" }))

/** The start of a timeline's next page. It is sent back in a URL. */
export const PageToken = Schema.String.check(Schema.isPattern(/^[\w-]{1,512}$/, { expected: "a token of a page" }))
