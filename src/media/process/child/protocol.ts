import { Effect, Predicate, Schema, Struct } from "effect"
import { MediaFacts } from "../../../domain/media/media.ts"
import { AcceptedType } from "../../limits.ts"

/** The bounds of a still image that is made from another one. */
const Bounds = Schema.Struct({
  /** Pixels. Smaller images are not enlarged. */
  longestSide: Schema.Int,
  maxBytes: Schema.Int,
  /** Whether the original's own pixels are used where they are within the bounds, without what stands beside them. */
  keepsOriginal: Schema.Boolean
})
export type Bounds = typeof Bounds.Type

/** What the parent writes to the child: one file to look at, and what to make of it. */
export const Order = Schema.Struct({
  /** By the file's first bytes. */
  contentType: AcceptedType,
  path: Schema.String,
  /** An empty directory. */
  outputDirectory: Schema.String,
  /** By the name of what is made. Only of images. */
  outputs: Schema.Record(Schema.String, Bounds)
})
export type Order = typeof Order.Type

/** A still image that was made. */
const Made = Schema.Struct({
  /** Null where it is the original. */
  path: Schema.NullOr(Schema.String),
  contentType: Schema.String,
  width: Schema.Int,
  height: Schema.Int
})
export type Made = typeof Made.Type

/** What the bytes say of themselves. */
export const ReadFacts = Schema.Struct(Struct.omit(MediaFacts.fields, ["contentType", "size"]))
export type ReadFacts = typeof ReadFacts.Type

/** Bytes in a file: where they begin, and how many they are. */
const ByteSpan = Schema.Tuple([Schema.Int, Schema.Int])
export type ByteSpan = typeof ByteSpan.Type

/** How to make a copy without metadata in which nothing moves. */
const Erasure = Schema.Struct({
  /** Where the word `free` is written, after `spans` are done: the types of boxes that players then skip. */
  freed: Schema.Array(Schema.Int),
  /** What becomes zero: sorted, and without overlaps. */
  spans: Schema.Array(ByteSpan)
})
export type Erasure = typeof Erasure.Type

/** What a file is, and what was made of it. */
const Processed = Schema.Struct({
  facts: ReadFacts,
  made: Schema.Record(Schema.String, Made),
  /** A moving GIF as platforms get it; null of all else. */
  animation: Schema.NullOr(Made),
  /** What platforms must not get of a video. Null of images, whose outputs have pixels alone. */
  erasure: Schema.NullOr(Erasure)
})
export type Processed = typeof Processed.Type

/** What the child answers, once. */
export const Answer = Schema.Union([
  Schema.TaggedStruct("Done", Processed.fields),
  /** The file is not what it claims to be, or too large. The message is for who uploaded it. */
  Schema.TaggedStruct("Refused", { message: Schema.String })
])
export type Answer = typeof Answer.Type

/** The status with which the child ends where the system failed and not the file, such as without space for an output. */
export const systemFailure = 75

/** The file is refused. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { message: Schema.String }) {}

const isRefusal = Schema.is(Refusal)

/** Whether the system failed, such as without space or memory. */
export const isSystemError = (cause: unknown): boolean => Predicate.hasProperty(cause, "errno")

class SystemFailure extends Schema.TaggedError<SystemFailure>()("SystemFailure", { cause: Schema.Defect() }) {}

/** Refuses a file that can't be read, unless it is refused with a reason of its own. What the system failed with is a defect. */
export const attemptOr =
  (refusal: Refusal) =>
  <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => (isSystemError(cause) ? new SystemFailure({ cause }) : isRefusal(cause) ? cause : refusal)
    }).pipe(Effect.catchTag("SystemFailure", ({ cause }) => Effect.die(cause)))
