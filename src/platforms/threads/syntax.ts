import { Schema } from "effect"

/** Ids of accounts, containers and posts are digits beyond JavaScript's integers, in strings. */
export const ThreadsId = Schema.String.check(Schema.isPattern(/^\d{1,32}$/, { expected: "an id of Threads" }))
