import { Option, Schema } from "effect"
import { TargetError } from "../posts/post.ts"

/** A target's `prepared` contains one of these until the prepared post replaces it. */
const Uploads = Schema.TaggedStruct("Uploads", { uploads: Schema.Json })
const Begun = Schema.TaggedStruct("Begun", { uploads: Schema.Json, begun: Schema.Json })
const UploadFailure = Schema.TaggedStruct("UploadFailure", { uploadFailure: TargetError })

const decodeTag = Schema.decodeUnknownOption(Schema.Struct({ _tag: Schema.String }))
const decodeUploads = Schema.decodeUnknownOption(Uploads)
const decodeBegun = Schema.decodeUnknownOption(Begun)
const decodeFailure = Schema.decodeUnknownOption(UploadFailure)

// The previous version writes these values without a tag. Its prepared posts for X have `uploads` too, with other
// members.
const exactly = { onExcessProperty: "error" } as const
const decodeUntaggedUploads = Schema.decodeUnknownOption(Schema.Struct({ uploads: Schema.Json }), exactly)
const decodeUntaggedFailure = Schema.decodeUnknownOption(Schema.Struct({ uploadFailure: TargetError }), exactly)

/** At most one member is set, apart from `uploads` with `begun`. */
export interface Stored {
  readonly uploads: Schema.Json | null
  /** The platform's state of preparing the post. */
  readonly begun: Schema.Json | null
  readonly failure: TargetError | null
  readonly prepared: Schema.Json | null
}

const nothing: Stored = { uploads: null, begun: null, failure: null, prepared: null }

/** Keeps the member `uploads`, which the previous version reads. */
export const storeUploads = (uploads: Schema.Json): Schema.Json => ({ _tag: "Uploads", uploads })

export const storeBegun = (uploads: Schema.Json | null, begun: Schema.Json): Schema.Json => ({
  _tag: "Begun",
  uploads,
  begun
})

export const storeFailure = (error: TargetError): Schema.Json => ({
  _tag: "UploadFailure",
  uploadFailure: { ...error }
})

const readUntagged = (stored: Schema.Json): Stored => {
  const uploaded = decodeUntaggedUploads(stored)
  if (Option.isSome(uploaded)) return { ...nothing, uploads: uploaded.value.uploads }
  const failed = decodeUntaggedFailure(stored)
  return Option.isSome(failed) ? { ...nothing, failure: failed.value.uploadFailure } : { ...nothing, prepared: stored }
}

/** An adapter's prepared post has the adapter's own tag, or none if the previous version stored it. */
export const readStored = (stored: Schema.Json | null): Stored => {
  // Most claims store nothing. Returning here saves them the cost of a failed decoding.
  if (stored === null) return nothing
  const tag = Option.map(decodeTag(stored), ({ _tag }) => _tag)
  switch (Option.getOrUndefined(tag)) {
    case "Uploads":
      return { ...nothing, uploads: Option.getOrNull(Option.map(decodeUploads(stored), ({ uploads }) => uploads)) }
    case "Begun":
      return Option.match(decodeBegun(stored), {
        onNone: () => nothing,
        onSome: ({ begun, uploads }) => ({ ...nothing, uploads, begun })
      })
    case "UploadFailure":
      return {
        ...nothing,
        failure: Option.getOrNull(Option.map(decodeFailure(stored), ({ uploadFailure }) => uploadFailure))
      }
    case undefined:
      return readUntagged(stored)
    default:
      return { ...nothing, prepared: stored }
  }
}
