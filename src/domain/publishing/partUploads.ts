import { Option, Schema } from "effect"

/** The platform's references to a part's files, or the state of an upload that it processes. */
const PartUpload = Schema.Union([
  Schema.TaggedStruct("Uploaded", { uploads: Schema.Json }),
  Schema.TaggedStruct("Begun", { begun: Schema.Json })
])
export type PartUpload = typeof PartUpload.Type

/** By the part's number. */
export type PartUploads = Readonly<Record<string, PartUpload>>

const decode = Schema.decodeUnknownOption(Schema.Record(Schema.String, PartUpload))

/** Uploads that can't be read count as missing, so that they are made again. */
export const readPartUploads = (begun: Schema.Json | null): PartUploads => Option.getOrElse(decode(begun), () => ({}))

/** `uploads` is the current part's, null without files; `later` has the later parts' by number. */
export interface UploadsByPart {
  readonly uploads: Schema.Json | null
  readonly later: Readonly<Record<string, Schema.Json>>
}

export const uploadsByPart = (known: PartUploads, part: number): UploadsByPart => {
  const uploads = Object.entries(known).flatMap(([key, each]) =>
    each._tag === "Uploaded" ? [[key, each.uploads] as const] : []
  )
  const { [String(part)]: own = null, ...later } = Object.fromEntries(uploads)
  return { uploads: own, later }
}
