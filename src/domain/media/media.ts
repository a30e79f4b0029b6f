import { Record, Schema, Struct } from "effect"
import { liveFacts } from "../../platforms/facts.ts"
import { MediaId } from "../ids.ts"
import { isMaxItems } from "../issueCodes.ts"
import type { LivePlatform } from "../platform.ts"
import { mediaId } from "../samples.ts"
import { Text } from "../posts/text/publishableText.ts"

export const MediaType = Schema.Literals(["image", "gif", "video"]).annotate({
  title: "MediaType",
  description: "`image`: a still image. `gif`: an animated GIF. `video`: a video, with or without sound.",
  examples: ["image"]
})
export type MediaType = typeof MediaType.Type

/** A member is null if the file does not state it. */
const Encoding = Schema.Struct({
  /** Chroma subsampling, such as 4:2:0. */
  chroma: Schema.NullOr(Schema.String),
  interlaced: Schema.NullOr(Schema.Boolean),
  ...Struct.map(
    {
      /** Bits per sample of brightness or color, such as 8. */
      bitDepth: Schema.NullOr(Schema.Int),
      /** Colors for PQ or HLG, such as of a phone's HDR. */
      highDynamicRange: Schema.Boolean,
      /** False if frames shown before a keyframe need frames before that. */
      closedGop: Schema.Boolean,
      /** The most frames from a keyframe up to the next, or to the end. */
      keyframeDistance: Schema.Int
    },
    // Version 0.2.0 did not read them.
    Schema.optionalKey
  ),
  squarePixels: Schema.Boolean,
  /** Such as mp4a.40.2 for AAC-LC (RFC 6381). */
  audioProfile: Schema.NullOr(Schema.String),
  audioChannels: Schema.NullOr(Schema.Int)
})

/** The properties of a media file, as read from its bytes. */
export const MediaFacts = Schema.Struct({
  type: MediaType,
  contentType: Schema.String,
  /** In bytes. */
  size: Schema.Int,
  /** In pixels, after the orientation was applied. */
  width: Schema.Int,
  height: Schema.Int,
  /** Null for an image. */
  durationMs: Schema.NullOr(Schema.Int),
  /** Null if they were not counted. */
  frames: Schema.NullOr(Schema.Int),
  /** Frames a second; null for an image, or if the file does not say. */
  frameRate: Schema.NullOr(Schema.Finite),
  /** In lower case, such as h264, hevc or vp9; null without a video track. */
  videoCodec: Schema.NullOr(Schema.String),
  /** In lower case, such as aac or opus; null without a sound track. */
  audioCodec: Schema.NullOr(Schema.String),
  animated: Schema.Boolean,
  /** For videos only; absent if version 0.2.0 read the file. */
  encoding: Schema.optionalKey(Encoding)
})
export type MediaFacts = typeof MediaFacts.Type

/** A file made from an upload, or the unchanged upload. */
export const Rendition = Schema.Struct({
  /** SHA-256 in hexadecimal, the address in the store. */
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  width: Schema.Int,
  height: Schema.Int
})
export type Rendition = typeof Rendition.Type

const rendition = Schema.optionalKey(Rendition)

/** A platform has no rendition if the upload can't be converted for it. */
export const Renditions = Schema.Struct({ thumbnail: rendition, ...Record.map(liveFacts, () => rendition) })
export type Renditions = typeof Renditions.Type

export const MediaStatus = Schema.Literals(["processing", "ready", "failed"])
export type MediaStatus = typeof MediaStatus.Type

export const MediaFile = Schema.Struct({
  id: MediaId,
  status: MediaStatus,
  size: Schema.Int,
  /** Null until the file is ready. */
  facts: Schema.NullOr(MediaFacts),
  renditions: Renditions,
  alt: Schema.String,
  /** Why the file failed. Absent if it is not read with the file. */
  failure: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type MediaFile = typeof MediaFile.Type

/** Most platforms accept fewer. */
export const maxPostMedia = 10

/** In UTF-16 code units. Platforms count in units of their own, and accept fewer. An emoji can have eleven and more. */
export const maxAltLength = 10_000

export const MediaReference = Schema.Struct({
  id: MediaId.annotateKey({ description: "The id of a file in the workspace's library." }),
  alt: Schema.optionalKey(Text.check(Schema.isMaxLength(maxAltLength))).annotateKey({
    description: "The alternative text of the file in this post; if omitted, the file's own."
  })
}).annotate({
  identifier: "MediaReference",
  description: "A file that a post carries.",
  examples: [{ id: MediaId.make(mediaId), alt: "A chart of the response times" }]
})
export type MediaReference = typeof MediaReference.Type

/** In display order. */
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

/** A post's own copy of a file's data, so that changing the file's alternative text changes no post. */
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
  alt: Schema.String.annotateKey({
    description: "The alternative text, which describes the file to people who can't see it."
  })
}).annotate({
  identifier: "PostMedia",
  description: "A file that a post carries, with its alternative text there.",
  examples: [postMediaExample]
})
export type PostMedia = typeof PostMedia.Type

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

export const factsFor = (platform: LivePlatform, facts: MediaFacts, renditions: Renditions): MediaFacts => {
  const made = renditions[platform]
  return made === undefined ? facts : { ...facts, ...Struct.omit(made, ["hash"]) }
}
