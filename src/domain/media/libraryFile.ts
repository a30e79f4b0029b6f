import { Schema } from "effect"
import { describedInstant, Instant } from "../instant.ts"
import { MediaId } from "../ids.ts"
import { MediaStatus, MediaType } from "./media.ts"
import { mediaId } from "../samples.ts"

const untilKnown = "null until the file has been processed."

export const exampleAlt = "A harbor at dawn, with three fishing boats"

const processing = {
  id: mediaId,
  type: null,
  content_type: "image/jpeg",
  size: 2_483_109,
  width: null,
  height: null,
  duration_ms: null,
  alt: exampleAlt,
  status: "processing",
  error: null,
  created_at: "2030-01-30T16:20:00.000Z",
  expires_at: "2030-02-06T16:20:00.000Z"
} as const

export const libraryFileExamples = {
  processing,
  ready: { ...processing, type: "image", width: 4032, height: 3024, status: "ready" }
} as const

const MediaError = Schema.Struct({
  code: Schema.String.annotateKey({ description: "Identifies the error and never changes." }),
  message: Schema.String.annotateKey({ description: "What is wrong with the file, for people." })
}).annotate({
  identifier: "MediaError",
  description: "Why a file can't be used.",
  examples: [{ code: "unreadable", message: "The video can't be read: it is cut off" }]
})

export const LibraryFile = Schema.Struct({
  id: MediaId.annotateKey({ description: "The file's id." }),
  type: Schema.NullOr(MediaType).annotateKey({ description: `The kind of file; ${untilKnown}` }),
  content_type: Schema.NullOr(Schema.String).annotateKey({
    description: "The type of its bytes, as read from the bytes; null until the file has arrived."
  }),
  size: Schema.Int.annotateKey({ description: "In bytes; 0 until a file from a URL has arrived." }),
  width: Schema.NullOr(Schema.Int).annotateKey({ description: `In pixels, as the file is shown; ${untilKnown}` }),
  height: Schema.NullOr(Schema.Int).annotateKey({ description: `In pixels, as the file is shown; ${untilKnown}` }),
  duration_ms: Schema.NullOr(Schema.Int).annotateKey({
    description: "In milliseconds; null for a still image, and until the file has been processed."
  }),
  alt: Schema.String.annotateKey({ description: "The alternative text that posts get unless they have their own." }),
  status: MediaStatus.annotateKey({
    description:
      "`processing`: the file is fetched or read, which takes seconds. `ready`: posts can be scheduled with it. `failed`: `error` says why it can't be used."
  }),
  error: Schema.NullOr(MediaError).annotateKey({ description: "Why the file can't be used; null unless it failed." }),
  created_at: describedInstant("When the upload began."),
  expires_at: Schema.NullOr(Instant).annotateKey({
    description:
      "When the file is removed: 7 days after it was uploaded or last needed by a post, 90 days if that post failed. Null while a draft, scheduled or publishing post uses it."
  })
})
  .annotate({ identifier: "Media", description: "An image, GIF or video in the workspace's library." })
  .pipe(Schema.annotateEncoded({ examples: [libraryFileExamples.ready] }))
export type LibraryFile = typeof LibraryFile.Type
