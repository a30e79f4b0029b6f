import { Schema } from "effect"

/** Ids of accounts, containers, files and posts are digits beyond JavaScript's integers, in strings. */
export const MetaId = Schema.String.check(Schema.isPattern(/^\d{1,32}$/, { expected: "an id of Meta" }))

/** A setting of the operator. */
export const GraphVersion = Schema.String.check(
  Schema.isPattern(/^v\d{2,3}\.\d$/, { expected: "a version of Meta's Graph API, such as v26.0" })
)

export const MetaUsername = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_.]{1,64}$/, { expected: "a username of Meta" })
)
