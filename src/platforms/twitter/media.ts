import { DateTime, Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable, UploadsGone } from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import { unanswered } from "../outcome.ts"
import { type AccountAccess, type PlatformFile, Processing, Uploaded, type UploadProgress } from "../PlatformClient.ts"
import { platformDetail } from "../platformText.ts"
import { storedForm } from "../preparedPost.ts"
import type { TwitterApi } from "./api.ts"
import { problemDetail, refusedMedia } from "./problem.ts"
import { MediaKey, XId } from "./syntax.ts"

/** Stored ids and keys. The previous version did not check their syntax. */
const MediaName = Schema.String.check(Schema.isPattern(/^[\w-]{1,64}$/))

/** On timelines, X names a post's files by their media keys. */
const UploadedMedia = Schema.Struct({ id: MediaName, key: Schema.NullOr(MediaName) })

/** Uploads that expire sooner are made again, so that X has them when the post arrives. */
const expiryMargin = Duration.minutes(5)

/** At `expiresAt`, X forgets files that no post has. The service stops using them `marginSeconds` earlier. */
const lifetime = {
  expiresAt: Schema.DateTimeUtcFromString,
  marginSeconds: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(Duration.toSeconds(expiryMargin))))
}

const storedAs = storedForm("TwitterUploads")

/** Uploads that only the account `accountId` can use. */
export const TwitterUploads = Schema.Struct({
  ...storedAs.fields,
  accountId: Schema.String,
  media: Schema.Array(UploadedMedia),
  ...lifetime
})
export type TwitterUploads = typeof TwitterUploads.Type
const encodeUploads = Schema.encodeSync(TwitterUploads)

/** At most a year, so that a date can be computed. */
const Seconds = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: Duration.toSeconds("365 days") }))

const begunAs = storedForm("TwitterProcessing")

const TwitterProcessing = Schema.Struct({
  ...begunAs.fields,
  accountId: Schema.String,
  media: Schema.Array(Schema.Struct({ ...UploadedMedia.fields, hash: Schema.String, isProcessed: Schema.Boolean })),
  ...lifetime
})
type TwitterProcessing = typeof TwitterProcessing.Type
const encodeBegun = Schema.encodeSync(TwitterProcessing)
const decodeBegun = Schema.decodeUnknownOption(TwitterProcessing)

type Expiring = Pick<TwitterUploads, "expiresAt" | "marginSeconds">

export const isUsable = ({ expiresAt, marginSeconds }: Expiring, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, DateTime.subtract(expiresAt, { seconds: marginSeconds }))

const ProcessingInfo = Schema.Struct({
  state: Schema.String,
  check_after_secs: Schema.optionalKey(Schema.NullOr(Seconds)),
  error: Schema.optionalKey(Schema.NullOr(Schema.Struct({ message: Schema.optionalKey(Schema.String) })))
})

const readMedia = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      id: XId,
      media_key: Schema.optionalKey(Schema.NullOr(MediaKey)),
      expires_after_secs: Schema.optionalKey(Schema.NullOr(Seconds)),
      processing_info: Schema.optionalKey(Schema.NullOr(ProcessingInfo))
    })
  })
)

const categories = { image: "tweet_image", gif: "tweet_gif", video: "tweet_video" } as const

/** With X's number of segments, the largest video of a library (1 GB) fits. One segment is in memory at a time. */
export const segmentBytes = 1024 * 1024

/** Safe, because X accepts the same segment twice. */
const segmentRetries = 3

/** X keeps uploads this long, unless it says otherwise. */
const defaultLifetime = Duration.hours(24)

/** The limits of the pause that X requests. */
const shortestCheck = Duration.seconds(1)
const longestCheck = Duration.seconds(30)

type Info = typeof ProcessingInfo.Type | null

const isProcessed = (info: Info): boolean => info === null || info.state === "succeeded"

const requireNotFailed = (info: Info): Effect.Effect<void, Rejected> => {
  if (info?.state !== "failed") return Effect.void
  const reason = info.error?.message
  return new Rejected({
    message: `X could not process a file of this post${reason === undefined ? "" : `: ${platformDetail(reason)}`}`
  })
}

/** The longest pause that X requests for one of the files. */
const askAfter = (infos: ReadonlyArray<Info>): Duration.Duration => {
  const seconds = infos.map((info) => (isProcessed(info) ? 0 : (info?.check_after_secs ?? 0)))
  return Duration.clamp(Duration.seconds(Math.max(0, ...seconds)), { minimum: shortestCheck, maximum: longestCheck })
}

const isDone = ({ status }: PlatformResponse): boolean => status >= 200 && status < 300

const orRefused = (response: PlatformResponse) => (isDone(response) ? Effect.succeed(response) : refusedMedia(response))

/** The begun upload of these files and this account, while X keeps it. */
const readBegun = (
  stored: Schema.Json | null,
  files: ReadonlyArray<PlatformFile>,
  account: AccountAccess,
  now: DateTime.Utc
): TwitterProcessing | undefined => {
  const begun = Option.getOrUndefined(stored === null ? Option.none() : decodeBegun(stored))
  const isSame =
    begun?.accountId === account.accountId &&
    begun.media.length === files.length &&
    begun.media.every(({ hash }, index) => hash === files[index]?.hash)
  return isSame && isUsable(begun, now) ? begun : undefined
}

/** Other people see no upload, so each request can be repeated. */
export const makeMediaUpload = (config: TwitterConfig, api: TwitterApi) => {
  const answer = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    Effect.catchTag(api.send(account, HttpClientRequest.acceptJson(request)), "NoResponse", unanswered)
  const send = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(answer(account, request), orRefused)

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
    const response = yield* answer(account, request)
    if (response.status === 400 || response.status === 404) {
      return yield* new UploadsGone({ message: `X does not know a file of this post: ${problemDetail(response)}` })
    }
    return (yield* read(yield* orRefused(response))).processing_info ?? null
  })

  const describe = Effect.fn("Twitter.describeMedia")(function* (id: string, alt: string, account: AccountAccess) {
    if (alt.trim() === "") return
    const request = HttpClientRequest.post(`${config.apiUrl}/2/media/metadata`).pipe(
      HttpClientRequest.bodyJsonUnsafe({ id, metadata: { alt_text: { text: alt } } })
    )
    yield* send(account, request)
  })

  const uploadOne = Effect.fn("Twitter.uploadFile")(function* (file: PlatformFile, account: AccountAccess) {
    const begun = yield* initialize(file, account)
    for (let index = 0; index * segmentBytes < file.size; index++) yield* append(begun.id, index, file, account)
    const finalized = yield* finalize(begun.id, account)
    const stated = finalized.expires_after_secs ?? 0
    const seconds = stated > 0 ? stated : Duration.toSeconds(defaultLifetime)
    return {
      id: begun.id,
      key: finalized.media_key ?? begun.media_key ?? null,
      expiresAt: DateTime.add(yield* DateTime.now, { seconds }),
      // A short-lived upload is trusted for half of its life.
      marginSeconds: Math.min(Duration.toSeconds(expiryMargin), seconds / 2),
      info: finalized.processing_info ?? null
    }
  })

  const uploadAll = Effect.fnUntraced(function* (files: ReadonlyArray<PlatformFile>, account: AccountAccess) {
    const uploaded = yield* Effect.forEach(files, (file) => uploadOne(file, account))
    const [first, ...more] = uploaded
    if (first === undefined) return yield* new Rejected({ message: "There is no file to upload" })
    const { expiresAt, marginSeconds } = more.reduce<Expiring>(
      (earliest, one) => (DateTime.isLessThan(one.expiresAt, earliest.expiresAt) ? one : earliest),
      first
    )
    const media = uploaded.map(({ id, info, key }, index) => ({
      id,
      key,
      hash: files[index]?.hash ?? "",
      isProcessed: isProcessed(info)
    }))
    const begun: TwitterProcessing = {
      ...begunAs.members,
      accountId: account.accountId,
      media,
      expiresAt,
      marginSeconds
    }
    return { begun, infos: uploaded.map(({ info }) => info) }
  })

  const ask = Effect.fnUntraced(function* (begun: TwitterProcessing, account: AccountAccess) {
    const infos = yield* Effect.forEach(begun.media, ({ id, isProcessed: ended }) =>
      ended ? Effect.succeed(null) : readStatus(id, account)
    )
    const media = begun.media.map((one, index) => ({ ...one, isProcessed: isProcessed(infos[index] ?? null) }))
    return { begun: { ...begun, media }, infos }
  })

  return Effect.fn("Twitter.upload")(function* (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    stored: Schema.Json | null
  ): Effect.fn.Return<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable> {
    const known = readBegun(stored, files, account, yield* DateTime.now)
    const { begun, infos } = yield* known === undefined ? uploadAll(files, account) : ask(known, account)
    yield* Effect.forEach(infos, requireNotFailed, { discard: true })
    if (begun.media.some((one) => !one.isProcessed)) {
      return Processing({ begun: encodeBegun(begun), askAfter: askAfter(infos) })
    }
    const { accountId, expiresAt, marginSeconds, media } = begun
    yield* Effect.forEach(media, ({ id }, index) => describe(id, files[index]?.alt ?? "", account), { discard: true })
    return Uploaded({
      uploads: encodeUploads({
        ...storedAs.members,
        accountId,
        media: media.map(({ id, key }) => ({ id, key })),
        expiresAt,
        marginSeconds
      })
    })
  })
}

export const isUnknownMedia = (response: PlatformResponse): boolean =>
  response.status === 400 && /\bmedia[ _]?ids?\b/i.test(problemDetail(response) ?? "")
