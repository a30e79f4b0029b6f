import { Option, Schema } from "effect"
import { TargetError } from "../posts/post.ts"

/** What an upload leaves in `prepared` of its target, until the post is prepared from it. */
const Uploaded = Schema.Struct({ uploads: Schema.Json })
const NotUploaded = Schema.Struct({ uploadFailure: TargetError })

const decodeUploaded = Schema.decodeUnknownOption(Uploaded)
const decodeFailure = Schema.decodeUnknownOption(NotUploaded)

/** What is stored of a target: what its files became, why they could not be uploaded, or what is to be sent. At most one is there. */
export interface Stored {
  readonly uploads: Schema.Json | null
  readonly failure: TargetError | null
  readonly prepared: Schema.Json | null
}

/** Tells the uploads of a target, or their failure, from what was prepared of its post. */
export const readStored = (prepared: Schema.Json | null): Stored => {
  const nothing: Stored = { uploads: null, failure: null, prepared: null }
  // Most claims end here: a schema would describe at length what is missing.
  if (prepared === null) return nothing
  const uploaded = decodeUploaded(prepared)
  if (Option.isSome(uploaded)) return { ...nothing, uploads: uploaded.value.uploads }
  const failed = decodeFailure(prepared)
  return Option.isSome(failed) ? { ...nothing, failure: failed.value.uploadFailure } : { ...nothing, prepared }
}
