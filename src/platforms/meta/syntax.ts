import { Schema } from "effect"

/** Ids of accounts, containers and posts are digits beyond JavaScript's integers, in strings. */
export const MetaId = Schema.String.check(Schema.isPattern(/^\d{1,32}$/, { expected: "an id of Meta" }))

export const MetaUsername = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_.]{1,64}$/, { expected: "a username of Meta" })
)
