import { Record, Schema, Struct } from "effect"
import { liveFacts } from "../../platforms/facts.ts"
import { MediaId } from "../ids.ts"
import { isMaxItems } from "../issueCodes.ts"
import type { LivePlatform } from "../platform.ts"
import { mediaId } from "../samples.ts"
import { Text } from "../posts/text/publishableText.ts"

/** `gif` is an animated GIF; a still one is an image. */
export const MediaType = Schema.Literals(["image", "gif", "video"]).annotate({
  title: "MediaType",
  description: "`image`: a still image. `gif`: an animated GIF. `video`: a video, with or without sound.",
  examples: ["image"]
})
export type MediaType = typeof MediaType.Type

/** How a video is encoded, beyond its codecs. A member is null where the file does not say. */
const Encoding = Schema.Struct({
  /** The resolution of colors, such as 4:2:0. */
  chroma: Schema.NullOr(Schema.String),
  interlaced: Schema.NullOr(Schema.Boolean),
  squarePixels: Schema.Boolean,
  /** The codec of the sound with its profile, by RFC 6381, such as mp4a.40.2 for AAC-LC. */
  audioProfile: Schema.NullOr(Schema.String),
  audioChannels: Schema.NullOr(Schema.Int)
})

/** What the bytes of a file say of themselves. */
export const MediaFacts = Schema.Struct({
  type: MediaType,
  contentType: Schema.String,
  /** The size in bytes. */
  size: Schema.Int,
  /** Pixels of the file as it is shown: after its orientation was applied. */
  width: Schema.Int,
  height: Schema.Int,
  /** Null for an image. */
  durationMs: Schema.NullOr(Schema.Int),
  /** Null where they were not counted. */
  frames: Schema.NullOr(Schema.Int),
  /** Frames a second; null for an image, and where the file does not say. */
  frameRate: Schema.NullOr(Schema.Finite),
  /** The codec's name in lower case, such as h264, hevc or vp9; null without a video track. */
  videoCodec: Schema.NullOr(Schema.String),
  /** The codec's name in lower case, such as aac or opus; null without a sound track. */
  audioCodec: Schema.NullOr(Schema.String),
  /** Whether an image has more than one frame. */
  animated: Schema.Boolean,
  /** Of a video; absent from those that were read by version 0.2.0. */
  encoding: Schema.optionalKey(Encoding)
})
export type MediaFacts = typeof MediaFacts.Type

/** A file that was made from an upload, or the upload itself where it needs no change. */
export const Rendition = Schema.Struct({
  /** SHA-256, in hexadecimal: the address in the store. */
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  width: Schema.Int,
  height: Schema.Int
})
export type Rendition = typeof Rendition.Type

const rendition = Schema.optionalKey(Rendition)

/** The files made from an upload. A platform that can't take the upload has none. */
export const Renditions = Schema.Struct({ thumbnail: rendition, ...Record.map(liveFacts, () => rendition) })
export type Renditions = typeof Renditions.Type

export const MediaStatus = Schema.Literals(["processing", "ready", "failed"])
export type MediaStatus = typeof MediaStatus.Type

/** A file of a workspace's library, as posts use it. */
export const MediaFile = Schema.Struct({
  id: MediaId,
  status: MediaStatus,
  size: Schema.Int,
  /** Null until it is ready. */
  facts: Schema.NullOr(MediaFacts),
  renditions: Renditions,
  alt: Schema.String
})
export type MediaFile = typeof MediaFile.Type

/** The most files of a post. */
export const maxPostMedia = 4

/** The most characters of an alternative text, in UTF-16 code units. A platform may take fewer. */
export const maxAltLength = 2_000

/** A file of a post to create or change. */
export const MediaReference = Schema.Struct({
  id: MediaId.annotateKey({ description: "The id of a file in the workspace's library." }),
  alt: Schema.optionalKey(Text.check(Schema.isMaxLength(maxAltLength))).annotateKey({
    description: "The alternative text of the file in this post; omitted, the file's own."
  })
}).annotate({
  identifier: "MediaReference",
  description: "A file that a post carries.",
  examples: [{ id: MediaId.make(mediaId), alt: "A chart of the response times" }]
})
export type MediaReference = typeof MediaReference.Type

/** The files of a post to create or change, in the order in which they are shown. */
export const MediaReferences = Schema.Array(MediaReference).check(isMaxItems(maxPostMedia))

const untilReady = "null until the file has been processed."

export const postMediaExample = {
  id: MediaId.make(mediaId),
  type: "image",
  content_type: "image/jpeg",
  size: 482_113,
  width: 1600,
  height: 900,
  duration_ms: null,
  alt: "A chart of the response times"
} as const

/** A file as a post carries it: copied when the post is stored, so that a later change of the file's alt text changes no post. */
export const PostMedia = Schema.Struct({
  id: MediaId.annotateKey({ description: "The file's id." }),
  type: Schema.NullOr(MediaType).annotateKey({ description: `The kind of file; ${untilReady}` }),
  content_type: Schema.NullOr(Schema.String).annotateKey({ description: `The type of its bytes; ${untilReady}` }),
  size: Schema.Int.annotateKey({ description: "The size of the upload in bytes." }),
  width: Schema.NullOr(Schema.Int).annotateKey({ description: `In pixels; ${untilReady}` }),
  height: Schema.NullOr(Schema.Int).annotateKey({ description: `In pixels; ${untilReady}` }),
  duration_ms: Schema.NullOr(Schema.Int).annotateKey({
    description: "In milliseconds; null for an image, and until the file has been processed."
  }),
  alt: Schema.String.annotateKey({ description: "The alternative text, which describes the file to who can't see it." })
}).annotate({
  identifier: "PostMedia",
  description: "A file that a post carries, with its alternative text there.",
  examples: [postMediaExample]
})
export type PostMedia = typeof PostMedia.Type

/** A file as a post carries it, with the post's own alternative text. */
export const toPostMedia = ({ facts, id, size }: MediaFile, alt: string): PostMedia => ({
  id,
  type: facts?.type ?? null,
  content_type: facts?.contentType ?? null,
  size,
  width: facts?.width ?? null,
  height: facts?.height ?? null,
  duration_ms: facts?.durationMs ?? null,
  alt
})

/** The facts of what a platform gets of a file. */
export const factsFor = (platform: LivePlatform, facts: MediaFacts, renditions: Renditions): MediaFacts => {
  const made = renditions[platform]
  return made === undefined ? facts : { ...facts, ...Struct.omit(made, ["hash"]) }
}
