import { Option, Schema } from "effect"

/** What is known of a part's files: what the platform knows them by, or what it is still processing. */
const PartUpload = Schema.Union([
  Schema.TaggedStruct("Uploaded", { uploads: Schema.Json }),
  Schema.TaggedStruct("Begun", { begun: Schema.Json })
])
export type PartUpload = typeof PartUpload.Type

/** What is stored while the parts of a thread are uploaded, each by its number. */
export type PartUploads = Readonly<Record<string, PartUpload>>

const decode = Schema.decodeUnknownOption(Schema.Record(Schema.String, PartUpload))

/** What an earlier attempt stored; empty where there was none, or it can't be read, as all is uploaded again then. */
export const readPartUploads = (begun: Schema.Json | null): PartUploads => Option.getOrElse(decode(begun), () => ({}))

/** The uploads of the part that a target stands at, null without files, and those of later ones by their number. */
export interface UploadsByPart {
  readonly uploads: Schema.Json | null
  readonly later: Readonly<Record<string, Schema.Json>>
}

/** What becomes of the uploads of a thread whose target stands at `part`. */
export const uploadsByPart = (known: PartUploads, part: number): UploadsByPart => {
  const uploads = Object.entries(known).flatMap(([key, each]) =>
    each._tag === "Uploaded" ? [[key, each.uploads] as const] : []
  )
  const { [String(part)]: own = null, ...later } = Object.fromEntries(uploads)
  return { uploads: own, later }
}
