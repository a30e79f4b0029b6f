import { Effect, Predicate, Schema, Struct } from "effect"
import { MediaFacts } from "../../../domain/media/media.ts"
import { AcceptedType } from "../../limits.ts"

/** The limits of an image that is made from another. */
const Bounds = Schema.Struct({
  /** In pixels. Smaller images are not enlarged. */
  longestSide: Schema.Int,
  maxBytes: Schema.Int,
  /** True to keep an original within the bounds, reduced to its picture. */
  keepsOriginal: Schema.Boolean,
  /** False if the image must be a JPEG or PNG. */
  takesWebp: Schema.optionalKey(Schema.Boolean),
  takesOnlyJpeg: Schema.optionalKey(Schema.Boolean)
})
export type Bounds = typeof Bounds.Type

export const Order = Schema.Struct({
  /** By the file's first bytes. */
  contentType: AcceptedType,
  path: Schema.String,
  /** An empty directory. */
  outputDirectory: Schema.String,
  /** By name. Only for images. */
  outputs: Schema.Record(Schema.String, Bounds)
})
export type Order = typeof Order.Type

const Made = Schema.Struct({
  /** Null if it is the original. */
  path: Schema.NullOr(Schema.String),
  contentType: Schema.String,
  width: Schema.Int,
  height: Schema.Int
})
export type Made = typeof Made.Type

export const ReadFacts = Schema.Struct(Struct.omit(MediaFacts.fields, ["contentType", "size"]))
export type ReadFacts = typeof ReadFacts.Type

const ByteSpan = Schema.Tuple([Schema.Int, Schema.Int])
export type ByteSpan = typeof ByteSpan.Type

/** Edits that remove metadata and move nothing. */
const Erasure = Schema.Struct({
  /**
   * Offsets, and the bytes to write there after `spans` are zeroed, so that players skip what follows. Ascending,
   * without overlaps.
   */
  headers: Schema.Array(Schema.Tuple([Schema.Int, Schema.Uint8ArrayFromHex])),
  /** Bytes to zero: sorted, without overlaps. */
  spans: Schema.Array(ByteSpan)
})
export type Erasure = typeof Erasure.Type

const Processed = Schema.Struct({
  facts: ReadFacts,
  made: Schema.Record(Schema.String, Made),
  /** Null for everything but a moving GIF. */
  animation: Schema.NullOr(Made),
  /** Null for images, whose outputs have only pixels. */
  erasure: Schema.NullOr(Erasure)
})
export type Processed = typeof Processed.Type

export const Answer = Schema.Union([
  Schema.TaggedStruct("Done", Processed.fields),
  /** The file is too large, or not of the claimed type. The message is for the uploader. */
  Schema.TaggedStruct("Refused", { message: Schema.String })
])
export type Answer = typeof Answer.Type

/** The child's exit code if the system failed, such as without space for an output. */
export const systemFailure = 75

export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { message: Schema.String }) {}

const isRefusal = Schema.is(Refusal)

/** True if the system failed, such as without space or memory. */
export const isSystemError = (cause: unknown): boolean => Predicate.hasProperty(cause, "errno")

class SystemFailure extends Schema.TaggedError<SystemFailure>()("SystemFailure", { cause: Schema.Defect() }) {}

/** Refuses a file that can't be read. A failure of the system is a defect. */
export const attemptOr =
  (refusal: Refusal) =>
  <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => (isSystemError(cause) ? new SystemFailure({ cause }) : isRefusal(cause) ? cause : refusal)
    }).pipe(Effect.catchTag("SystemFailure", ({ cause }) => Effect.die(cause)))
