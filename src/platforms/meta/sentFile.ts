import { Schema } from "effect"

/** A file that Meta fetches while it makes a container. */
export const SentFile = Schema.Struct({
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  kind: Schema.Literals(["IMAGE", "VIDEO"]),
  alt: Schema.String
})
export type SentFile = typeof SentFile.Type
