import { Schema } from "effect"
import { Multipart } from "effect/http"
import { MediaId } from "../../domain/ids.ts"
import { LibraryFile, libraryFileExamples, exampleAlt } from "../../domain/media/libraryFile.ts"
import { maxAltLength } from "../../domain/media/media.ts"
import { alwaysLive } from "../../domain/plain/platforms.ts"
import { liveFacts } from "../../platforms/facts.ts"
import { mediaId } from "../../domain/samples.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { dataOf, deleted, pageOf } from "../data.ts"
import { examples } from "../examples.ts"
import { orNull } from "../orNull.ts"
import { MediaCursor, sampleCursor } from "../pagination.ts"

export const altLimits = alwaysLive
  .map((platform, index) => {
    const { maxAlt, name } = liveFacts[platform]
    const limit = maxAlt.toLocaleString("en-US")
    return index === 0 ? `${name} accepts ${limit} characters` : `${name} ${limit}`
  })
  .join(", ")

export const Alt = Text.check(Schema.isMaxLength(maxAltLength))

const alt = Schema.optionalKey(Alt).annotateKey({
  description: `Describes the file to people who can't see it. ${altLimits}.`
})

export const OneMedia = Schema.Struct({ data: LibraryFile })
  .annotate({ identifier: "OneMedia", description: "The file." })
  .pipe(examples({ processing: { data: libraryFileExamples.processing }, ready: { data: libraryFileExamples.ready } }))

export const MediaPage = pageOf(LibraryFile, "The files.", MediaCursor)
  .annotate({ identifier: "MediaPage", description: "A page of files, newest first." })
  .pipe(examples({ page: { data: [libraryFileExamples.ready], next_cursor: sampleCursor } }))

export const DeletedMedia = dataOf("The deleted file.", {
  id: MediaId.annotateKey({ description: "The file's id." }),
  deleted
})
  .annotate({ identifier: "DeletedMedia", description: "The file was deleted." })
  .pipe(examples({ deleted: { data: { id: mediaId, deleted: true } } }))

export const MediaUpload = Schema.Struct({
  file: Multipart.SingleFileSchema,
  alt
}).annotate({
  identifier: "MediaUpload",
  description: "A file, and its alternative text."
})

const isWebUrl = (text: string) => URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol)

export const MediaFromUrl = Schema.Struct({
  url: Text.check(
    Schema.isMaxLength(2_000),
    Schema.makeFilter(isWebUrl, { expected: "an http or https URL" })
  ).annotateKey({ description: "Where the file is; a public address. Up to five redirects are followed." }),
  alt: orNull(alt)
})
  .annotate({ identifier: "MediaFromUrl", description: "Where to fetch a file, and its alternative text." })
  .pipe(examples({ image: { url: "https://images.example/harbor.jpg", alt: exampleAlt } }))

export const UpdateMedia = Schema.Struct({
  alt: Alt.annotateKey({ description: "The alternative text; empty for none." })
})
  .annotate({ identifier: "UpdateMedia", description: "What to change of a file." })
  .pipe(examples({ alt: { alt: exampleAlt } }))
