import { Option, Schema } from "effect"
import { TargetError } from "../posts/post.ts"

/** What an upload leaves in `prepared` of its target, until the post is prepared from it. */
const Uploads = Schema.TaggedStruct("Uploads", { uploads: Schema.Json })
const Begun = Schema.TaggedStruct("Begun", { uploads: Schema.Json, begun: Schema.Json })
const UploadFailure = Schema.TaggedStruct("UploadFailure", { uploadFailure: TargetError })

const decodeTag = Schema.decodeUnknownOption(Schema.Struct({ _tag: Schema.String }))
const decodeUploads = Schema.decodeUnknownOption(Uploads)
const decodeBegun = Schema.decodeUnknownOption(Begun)
const decodeFailure = Schema.decodeUnknownOption(UploadFailure)

// The version before writes these without a tag. What it prepares for X has a member `uploads` too, beside others.
const exactly = { onExcessProperty: "error" } as const
const decodeUntaggedUploads = Schema.decodeUnknownOption(Schema.Struct({ uploads: Schema.Json }), exactly)
const decodeUntaggedFailure = Schema.decodeUnknownOption(Schema.Struct({ uploadFailure: TargetError }), exactly)

/** What is stored of a target: what its files became, why they could not be uploaded, or what is to be sent. At most one is there. */
export interface Stored {
  readonly uploads: Schema.Json | null
  /** What the platform is making of the post and its uploads before it can be sent; null without that. */
  readonly begun: Schema.Json | null
  readonly failure: TargetError | null
  readonly prepared: Schema.Json | null
}

const nothing: Stored = { uploads: null, begun: null, failure: null, prepared: null }

/** What is stored once the files of a target are uploaded. The version before reads it by the member `uploads`. */
export const storeUploads = (uploads: Schema.Json): Schema.Json => ({ _tag: "Uploads", uploads })

/** What is stored while the platform makes ready what a target is published from. */
export const storeBegun = (uploads: Schema.Json | null, begun: Schema.Json): Schema.Json => ({
  _tag: "Begun",
  uploads,
  begun
})

/** What is stored where the files of a target can't be uploaded. */
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

/** Tells what is stored of a target by its tag. What an adapter prepared has the adapter's own, or none from the version before. */
export const readStored = (stored: Schema.Json | null): Stored => {
  // Most claims end here: a schema would describe at length what is missing.
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
