import { Schema } from "effect"

/** The Page's id and the post's own. */
export const PostId = Schema.String.check(
  Schema.isPattern(/^\d{1,32}_\d{1,32}$/, { expected: "the id of a Page's post" })
)
