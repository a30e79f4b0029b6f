import { Option, Schema } from "effect"

/** A part's files: the platform's references, or the state of an upload that it still processes. */
const PartUpload = Schema.Union([
  Schema.TaggedStruct("Uploaded", { uploads: Schema.Json }),
  Schema.TaggedStruct("Begun", { begun: Schema.Json })
])
export type PartUpload = typeof PartUpload.Type

/** Stored while a thread's parts are uploaded, by the part's number. */
export type PartUploads = Readonly<Record<string, PartUpload>>

const decode = Schema.decodeUnknownOption(Schema.Record(Schema.String, PartUpload))

/** Empty if there is nothing, or it can't be read: then everything is uploaded again. */
export const readPartUploads = (begun: Schema.Json | null): PartUploads => Option.getOrElse(decode(begun), () => ({}))

/** The uploads of the target's current part, null without files, and of later parts by their number. */
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
