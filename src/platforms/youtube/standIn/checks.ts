import { Option, Schema } from "effect"
import type { StandInResponse } from "../../../sandbox/endpoint.ts"
import * as limits from "../limits.ts"
import { youtubeError } from "./responses.ts"

const Metadata = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  snippet: Schema.Struct({
    title: Schema.String,
    description: Schema.optionalKey(Schema.String),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    categoryId: Schema.optionalKey(Schema.String)
  }),
  status: Schema.Struct({
    privacyStatus: Schema.optionalKey(Schema.Literals(["public", "private", "unlisted"])),
    selfDeclaredMadeForKids: Schema.optionalKey(Schema.Boolean)
  })
})
export type Metadata = typeof Metadata.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Metadata))

const encoder = new TextEncoder()

/** Counts as YouTube does: each comma, and the quotes of a tag with a space. */
const lengthOf = (tags: ReadonlyArray<string>): number =>
  tags.map((tag) => (tag.includes(" ") ? `"${tag}"` : tag)).join(",").length

/** Without a category, a video can't be changed. */
export const readMetadata = (body: string, needs: "nothing" | "category"): Metadata | StandInResponse => {
  const read = Option.getOrUndefined(decode(body))
  if (read === undefined) return youtubeError(400, "invalidVideoMetadata", "The request metadata is invalid")
  const { categoryId, description = "", tags = [], title } = read.snippet
  if (title.trim() === "" || title.length > limits.title || /[<>]/.test(title)) {
    return youtubeError(400, "invalidTitle", "The request metadata specifies an invalid or empty video title")
  }
  if (encoder.encode(description).byteLength > limits.text || /[<>]/.test(description)) {
    return youtubeError(400, "invalidDescription", "The request metadata specifies an invalid video description")
  }
  if (lengthOf(tags) > limits.tags)
    return youtubeError(400, "invalidTags", "The request metadata specifies invalid tags")
  return needs === "category" && categoryId === undefined
    ? youtubeError(400, "invalidCategoryId", "The snippet.categoryId property specifies an invalid category ID")
    : read
}
