import { Schema } from "effect"

/** TikTok's id of a person, which differs between applications. */
export const OpenId = Schema.String.check(Schema.isPattern(/^[\w-]{1,128}$/, { expected: "an open_id" }))

export const TiktokUsername = Schema.String.check(Schema.isPattern(/^[\w.]{1,64}$/, { expected: "a username" }))

/** The id of an upload and what becomes of it, such as `v_pub_file~v2-1.7123456789`. */
export const PublishId = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,64}$/, { expected: "a publish_id" }))

/** A post's id, which is a number above 2^53. */
export const TiktokId = Schema.String.check(Schema.isPattern(/^[1-9]\d{5,18}$/, { expected: "an id" }))
