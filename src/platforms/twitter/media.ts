import { DateTime, Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { TwitterConfig } from "../config.ts"
import { orUnavailable } from "../outcome.ts"
import type { AccountAccess, PlatformFile, Uploads } from "../PlatformClient.ts"
import { storedForm } from "../storedForm.ts"
import type { TwitterApi } from "./api.ts"
import { problemDetail, refusedMedia } from "./problem.ts"

/** One file as X knows it. Its media key is shown with the post. */
const UploadedMedia = Schema.Struct({ id: Schema.NonEmptyString, key: Schema.NullOr(Schema.String) })

const storedAs = storedForm("TwitterUploads")

/** What was uploaded for one post, for one account. X forgets files that no post carries. */
export const TwitterUploads = Schema.Struct({
  ...storedAs.fields,
  accountId: Schema.String,
  media: Schema.Array(UploadedMedia),
  expiresAt: Schema.DateTimeUtcFromString
})
export type TwitterUploads = typeof TwitterUploads.Type
const encodeUploads = Schema.encodeSync(TwitterUploads)

const Processing = Schema.Struct({
  state: Schema.String,
  check_after_secs: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  error: Schema.optionalKey(Schema.NullOr(Schema.Struct({ message: Schema.optionalKey(Schema.String) })))
})

const readMedia = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      id: Schema.NonEmptyString,
      media_key: Schema.optionalKey(Schema.NullOr(Schema.String)),
      expires_after_secs: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
      processing_info: Schema.optionalKey(Schema.NullOr(Processing))
    })
  })
)

const categories = { image: "tweet_image", gif: "tweet_gif", video: "tweet_video" } as const

/** X takes 1,000 segments, so that 512 MB fit. One segment at a time is in memory. */
const segmentBytes = 1024 * 1024

/** How often a segment is sent that X did not answer to. X takes the same one twice. */
const segmentRetries = 3

/** X keeps what was uploaded for a day, where it does not say. */
const defaultLifetime = Duration.hours(24)

/** The pauses between two questions for the processing of a file, whatever X says. */
const shortestCheck = Duration.seconds(1)
const longestCheck = Duration.seconds(30)

const isDone = ({ status }: PlatformResponse): boolean => status >= 200 && status < 300

/** Uploads files to X. An upload shows nothing to others, so that each request may be repeated. */
export const makeMediaUpload = (config: TwitterConfig, api: TwitterApi) => {
  const send = Effect.fnUntraced(function* (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) {
    const response = yield* Effect.catchTag(
      api.send(account, HttpClientRequest.acceptJson(request)),
      "NoResponse",
      (error) => orUnavailable(Effect.fail(error))
    )
    return isDone(response) ? response : yield* refusedMedia(response)
  })

  const read = Effect.fnUntraced(function* (response: PlatformResponse) {
    const media = readMedia(response)
    return Option.isSome(media)
      ? media.value.data
      : yield* new Unavailable({ message: "X's response to an upload can't be read" })
  })

  const initialize = Effect.fn("Twitter.initializeUpload")(function* (file: PlatformFile, account: AccountAccess) {
    const request = HttpClientRequest.post(`${config.apiUrl}/2/media/upload/initialize`).pipe(
      HttpClientRequest.bodyJsonUnsafe({
        media_type: file.contentType,
        total_bytes: file.size,
        media_category: categories[file.type]
      })
    )
    return yield* read(yield* send(account, request))
  })

  const append = Effect.fn("Twitter.appendSegment")(function* (
    id: string,
    index: number,
    file: PlatformFile,
    account: AccountAccess
  ) {
    const offset = index * segmentBytes
    const length = Math.min(segmentBytes, file.size - offset)
    const parts = yield* Stream.runCollect(account.files.read(file.hash, { offset, length }))
    const form = new FormData()
    form.set("segment_index", String(index))
    form.set("media", new Blob([Buffer.concat([...parts])]))
    const request = HttpClientRequest.post(`${config.apiUrl}/2/media/upload/${encodeURIComponent(id)}/append`).pipe(
      HttpClientRequest.bodyFormData(form)
    )
    yield* Effect.retry(send(account, request), {
      times: segmentRetries,
      schedule: Schedule.exponential("1 second"),
      while: (error) => error._tag === "Unavailable"
    })
  })

  const finalize = Effect.fn("Twitter.finalizeUpload")(function* (id: string, account: AccountAccess) {
    const request = HttpClientRequest.post(`${config.apiUrl}/2/media/upload/${encodeURIComponent(id)}/finalize`)
    return yield* read(yield* send(account, request))
  })

  const readStatus = Effect.fn("Twitter.uploadStatus")(function* (id: string, account: AccountAccess) {
    const request = HttpClientRequest.get(`${config.apiUrl}/2/media/upload`, {
      urlParams: { media_id: id, command: "STATUS" }
    })
    return (yield* read(yield* send(account, request))).processing_info ?? null
  })

  /** Waits until X has processed a file, as long as X asks for between two questions. */
  const awaitProcessing = Effect.fnUntraced(function* (
    id: string,
    first: typeof Processing.Type | null,
    account: AccountAccess
  ) {
    let info = first
    while (info !== null && info.state !== "succeeded") {
      if (info.state === "failed") {
        const reason = info.error?.message
        return yield* new Rejected({
          message: `X could not process a file of this post${reason === undefined ? "" : `: ${reason}`}`
        })
      }
      const pause = Duration.seconds(info.check_after_secs ?? 1)
      yield* Effect.sleep(Duration.clamp(pause, { minimum: shortestCheck, maximum: longestCheck }))
      info = yield* readStatus(id, account)
    }
  })

  const describe = Effect.fn("Twitter.describeMedia")(function* (id: string, alt: string, account: AccountAccess) {
    if (alt.trim() === "") return
    const request = HttpClientRequest.post(`${config.apiUrl}/2/media/metadata`).pipe(
      HttpClientRequest.bodyJsonUnsafe({ id, metadata: { alt_text: { text: alt } } })
    )
    yield* send(account, request)
  })

  const uploadOne = Effect.fn("Twitter.uploadFile")(function* (
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<
    { readonly media: typeof UploadedMedia.Type; readonly expiresAt: DateTime.Utc },
    PlatformError | DatabaseUnavailable
  > {
    const begun = yield* initialize(file, account)
    for (let index = 0; index * segmentBytes < file.size; index++) yield* append(begun.id, index, file, account)
    const finalized = yield* finalize(begun.id, account)
    const lifetime = finalized.expires_after_secs ?? Duration.toSeconds(defaultLifetime)
    const expiresAt = DateTime.add(yield* DateTime.now, { seconds: lifetime })
    yield* awaitProcessing(begun.id, finalized.processing_info ?? null, account)
    yield* describe(begun.id, file.alt, account)
    return { media: { id: begun.id, key: finalized.media_key ?? begun.media_key ?? null }, expiresAt }
  })

  return Effect.fn("Twitter.upload")(function* (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess
  ): Effect.fn.Return<Uploads, PlatformError | DatabaseUnavailable> {
    const uploaded = yield* Effect.forEach(files, (file) => uploadOne(file, account))
    const [first, ...more] = uploaded.map(({ expiresAt }) => expiresAt)
    if (first === undefined) return yield* new Rejected({ message: "There is no file to upload" })
    return encodeUploads({
      ...storedAs.members,
      accountId: account.accountId,
      media: uploaded.map(({ media }) => media),
      expiresAt: more.reduce((earliest, time) => DateTime.min(earliest, time), first)
    })
  })
}

/** Whether X refused a post because it does not know its files, or knows them no more. */
export const isUnknownMedia = (response: PlatformResponse): boolean =>
  response.status === 400 && /\bmedia[ _]?ids?\b/i.test(problemDetail(response) ?? "")
