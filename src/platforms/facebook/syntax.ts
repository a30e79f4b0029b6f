import { Schema } from "effect"

/** Ids are checked, because they are stored and become parts of URLs. They are beyond JavaScript's integers. */
export const GraphId = Schema.String.check(Schema.isPattern(/^\d{1,32}$/, { expected: "an id of Facebook" }))

/** The Page's id and the post's own. */
export const PostId = Schema.String.check(
  Schema.isPattern(/^\d{1,32}_\d{1,32}$/, { expected: "the id of a Page's post" })
)
