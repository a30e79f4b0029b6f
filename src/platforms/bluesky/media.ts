import { DateTime, Duration, Effect, Option, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable, type UploadsGone } from "../../domain/publishing/platformError.ts"
import { type Call, CallTimeout, type PlatformResponse, readResponse } from "../call.ts"
import { failAt, unanswered } from "../outcome.ts"
import { type AccountAccess, type PlatformFile, Processing, Uploaded, type UploadProgress } from "../PlatformClient.ts"
import type { BlueskyApi } from "./api.ts"
import type { SentFile } from "../steps.ts"
import { storedForm } from "../preparedPost.ts"
import { Blob, EmbeddedFile, embedOf, MediaEmbed } from "./embed.ts"
import { checkInterval, makeVideoService, tokenLifetime } from "./videoService.ts"
import { procedure, refusedPut } from "./xrpc.ts"

const storedAs = storedForm("BlueskyUploads")

export const BlueskyUploads = Schema.Struct({
  ...storedAs.fields,
  accountId: Schema.String,
  embed: MediaEmbed,
  files: Schema.Array(EmbeddedFile)
})
export type BlueskyUploads = typeof BlueskyUploads.Type
const encodeUploads = Schema.encodeSync(BlueskyUploads)

const begunAs = storedForm("BlueskyProcessing")

const BlueskyProcessing = Schema.Struct({
  ...begunAs.fields,
  accountId: Schema.String,
  hash: Schema.String,
  jobId: Schema.NonEmptyString,
  /** The time until which the video service may store the video on the PDS. Afterwards the job fails. */
  until: Schema.DateTimeUtcFromString,
  /** The number of failed jobs for this video. */
  failures: Schema.optionalKey(Schema.Int),
  /** True if this job has failed, so that the next step starts another. */
  isOver: Schema.optionalKey(Schema.Boolean)
})
const encodeBegun = Schema.encodeSync(BlueskyProcessing)
const decodeBegun = Schema.decodeUnknownOption(BlueskyProcessing)

const readBlob = readResponse(Schema.Struct({ blob: Blob }))

/** Long, because a PDS answers only once it has all bytes. */
const videoTimeout = Duration.minutes(15)

/** The waits before a failed job's video is sent again. The job after these is the last. */
const restartDelays = [Duration.seconds(15), Duration.minutes(1), Duration.minutes(4)]

/** Images are small, so several are uploaded at once. */
const concurrency = 4

/**
 * An upload publishes nothing, so one with an unknown outcome may be repeated. A 413 refuses the file, whoever sent it.
 */
const refusedUpload = (response: PlatformResponse): Effect.Effect<never, PlatformError> =>
  Effect.catchTag(
    failAt((now) => refusedPut(response, now)),
    "OutcomeUnknown",
    ({ message }) =>
      Effect.fail(
        response.status === 413
          ? new Rejected({ message: "Bluesky refused a file of this post as too large" })
          : new Unavailable({ message })
      )
  )

type Sent = Pick<EmbeddedFile, "hash" | "contentType" | "size">

const uploadedAs = (
  account: AccountAccess,
  files: ReadonlyArray<{ readonly file: PlatformFile; readonly blob: Blob }>,
  processed: boolean
): Effect.Effect<UploadProgress, Rejected> => {
  const embed = embedOf(files)
  if (embed === undefined) return new Rejected({ message: "There is no file to upload" })
  return Effect.succeed(
    Uploaded({
      uploads: encodeUploads({
        ...storedAs.members,
        accountId: account.accountId,
        embed,
        files: files.map(({ blob, file: { contentType, hash, size } }) => ({
          hash,
          contentType,
          size,
          blob,
          processed
        }))
      })
    })
  )
}

export const makeMediaUpload = (api: BlueskyApi, video: { readonly url: string | null; readonly call: Call }) => {
  const videoService = video.url === null ? undefined : makeVideoService(api, video.url, video.call)

  const uploadBlob = Effect.fn("Bluesky.uploadBlob")(function* (
    { contentType, hash, size }: Sent,
    account: AccountAccess
  ): Effect.fn.Return<Blob, PlatformError | DatabaseUnavailable> {
    const isLarge = contentType.startsWith("video/")
    // Small files are read first, so that an unreadable file does not look like a lost connection.
    const bytes = isLarge ? undefined : Buffer.concat([...(yield* Stream.runCollect(account.files.read(hash)))])
    const response = yield* api
      .send(account, (pdsUrl) => {
        const request = procedure(pdsUrl, "com.atproto.repo.uploadBlob")
        return bytes === undefined
          ? HttpClientRequest.bodyStream(request, account.files.read(hash), { contentType, contentLength: size })
          : HttpClientRequest.bodyUint8Array(request, bytes, contentType)
      })
      .pipe(
        Effect.catchTag("NoResponse", unanswered),
        isLarge ? Effect.provideService(CallTimeout, videoTimeout) : (call) => call
      )
    if (response.status !== 200) return yield* refusedUpload(response)
    const stored = readBlob(response)
    return Option.isSome(stored)
      ? stored.value.blob
      : yield* new Unavailable({ message: "Bluesky's response to an upload can't be read" })
  })

  const processVideo = Effect.fnUntraced(function* (
    service: NonNullable<typeof videoService>,
    file: PlatformFile,
    account: AccountAccess,
    stored: Schema.Json | null
  ) {
    const now = yield* DateTime.now
    const known = Option.filter(
      stored === null ? Option.none() : decodeBegun(stored),
      ({ accountId, hash, until }) =>
        accountId === account.accountId && hash === file.hash && DateTime.isLessThan(now, until)
    )
    const { failures = 0, isOver = false, jobId: knownJob = null } = Option.getOrUndefined(known) ?? {}
    const asked = knownJob !== null && !isOver
    const { blob, failure, jobId } = yield* asked ? service.ask(knownJob) : service.begin(file, account)
    if (blob !== null) return yield* uploadedAs(account, [{ file, blob }], true)
    const wait = failure === undefined ? checkInterval : restartDelays[failures]
    if (wait === undefined) return yield* new Rejected({ message: failure ?? "Bluesky could not process the video" })
    const until = asked && Option.isSome(known) ? known.value.until : DateTime.addDuration(now, tokenLifetime)
    const job = { accountId: account.accountId, hash: file.hash, jobId, until }
    const state = failure === undefined ? { failures } : { failures: failures + 1, isOver: true }
    return Processing({ begun: encodeBegun({ ...begunAs.members, ...job, ...state }), askAfter: wait })
  })

  const upload = Effect.fn("Bluesky.upload")(function* (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    begun: Schema.Json | null
  ): Effect.fn.Return<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable> {
    const [first] = files
    const isVideo = first !== undefined && first.type !== "image"
    if (isVideo && videoService !== undefined) return yield* processVideo(videoService, first, account, begun)
    if (isVideo && first.contentType !== "video/mp4") {
      return yield* new Rejected({ message: "Without Bluesky's video service, a video has to be an MP4" })
    }
    const uploaded = yield* Effect.forEach(
      files,
      (file) => Effect.map(uploadBlob(file, account), (blob) => ({ file, blob })),
      { concurrency }
    )
    return yield* uploadedAs(account, uploaded, false)
  })

  const repeatUpload = Effect.fn("Bluesky.repeatUpload")(function* (
    files: ReadonlyArray<SentFile>,
    account: AccountAccess
  ): Effect.fn.Return<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable> {
    const again = (file: SentFile) =>
      file.processed && videoService !== undefined ? videoService.repeat(file, account) : uploadBlob(file, account)
    return (yield* Effect.forEach(files, again, { concurrency })).map(({ ref }) => ref.$link)
  })

  return { upload, repeatUpload }
}
