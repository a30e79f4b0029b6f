import { DateTime, Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable, UploadsGone } from "../../domain/publishing/platformError.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { failAt, unanswered } from "../outcome.ts"
import {
  type AccountAccess,
  type PlatformAdapter,
  type PlatformFile,
  Processing,
  Uploaded,
  type UploadProgress
} from "../PlatformClient.ts"
import { storedForm } from "../preparedPost.ts"
import type { SentFile } from "../steps.ts"
import type { LinkedinApi } from "./api.ts"
import type { LinkedinConfig } from "./config.ts"
import { detailOf, errorOf, refusedFile } from "./problem.ts"
import { ImageUrn, isPageUrn, MediaUrn, VideoUrn } from "./syntax.ts"

const storedAs = storedForm("LinkedinUploads")

/** Files that only the account `accountId` can use. */
export const LinkedinUploads = Schema.Struct({
  ...storedAs.fields,
  accountId: Schema.String,
  media: Schema.Array(Schema.Struct({ urn: MediaUrn, alt: Schema.String }))
})
const encodeUploads = Schema.encodeSync(LinkedinUploads)

const begunAs = storedForm("LinkedinProcessing")

const BegunFile = Schema.Struct({
  urn: MediaUrn,
  kind: Schema.Literals(["image", "video"]),
  hash: Schema.String,
  uploadedAt: Schema.DateTimeUtcFromString,
  isReady: Schema.Boolean
})
type BegunFile = typeof BegunFile.Type

const LinkedinProcessing = Schema.Struct({
  ...begunAs.fields,
  accountId: Schema.String,
  media: Schema.Array(BegunFile)
})
const encodeBegun = Schema.encodeSync(LinkedinProcessing)
const decodeBegun = Schema.decodeUnknownOption(LinkedinProcessing)

const address = Schema.String.check(Schema.isMaxLength(8_192))
const readImage = readResponse(Schema.Struct({ value: Schema.Struct({ uploadUrl: address, image: ImageUrn }) }))
const readVideo = readResponse(
  Schema.Struct({
    value: Schema.Struct({
      video: VideoUrn,
      uploadToken: Schema.String,
      uploadInstructions: Schema.Array(
        Schema.Struct({ uploadUrl: address, firstByte: Schema.Int, lastByte: Schema.Int })
      )
    })
  })
)
const readState = readResponse(Schema.Struct({ status: Schema.String }))

/**
 * A member's token can't read the state of an image. LinkedIn hides a post with an unfinished image, so each image gets
 * this time.
 */
const imageTime = Duration.seconds(10)
const checkAfter = { image: Duration.seconds(2), video: Duration.seconds(5) }

/** Safe, because LinkedIn accepts the same part twice. */
const partRetries = 3

/** A link card's picture is small. A post does not wait longer for it. */
const thumbnailChecks = 3

const isDone = ({ status }: PlatformResponse): boolean => status >= 200 && status < 300

const bytesOf = (account: AccountAccess, hash: string, range?: { readonly offset: number; readonly length: number }) =>
  Effect.map(Stream.runCollect(account.files.read(hash, range)), (parts) => Buffer.concat([...parts]))

const readBegun = (stored: Schema.Json | null, files: ReadonlyArray<PlatformFile>, account: AccountAccess) =>
  Option.getOrUndefined(
    Option.filter(
      stored === null ? Option.none() : decodeBegun(stored),
      ({ accountId, media }) =>
        accountId === account.accountId &&
        media.length === files.length &&
        media.every(({ hash }, index) => hash === files[index]?.hash)
    )
  )

/** Other people see no upload, so each request can be repeated. */
export const makeMediaUpload = (config: LinkedinConfig, api: LinkedinApi, call: Call) => {
  /** LinkedIn's answers name addresses for uploads. No other host gets a token or a file. */
  const checkAddress = (url: string): Effect.Effect<string, Unavailable> => {
    const parsed = URL.parse(url)
    const isOwn =
      parsed !== null &&
      (parsed.origin === new URL(config.apiUrl).origin ||
        (parsed.protocol === "https:" && /(?:^|\.)linkedin\.com$/.test(parsed.hostname)))
    return isOwn ? Effect.succeed(url) : new Unavailable({ message: "LinkedIn named another host for an upload" })
  }

  const orRefused = Effect.fnUntraced(function* (response: PlatformResponse) {
    if (isDone(response)) return response
    return yield* failAt(
      (now): PlatformError =>
        refusedFile(response, now) ??
        new Unavailable({ message: `LinkedIn answered an upload with ${detailOf(response)}` })
    )
  })

  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(api.sendIdly(account, request), orRefused)

  const action = (collection: "images" | "videos", name: string, body: object) =>
    HttpClientRequest.post(`${config.apiUrl}/rest/${collection}`, {
      urlParams: { action: name },
      acceptJson: true
    }).pipe(HttpClientRequest.bodyJsonUnsafe(body))

  const unreadable = new Unavailable({ message: "LinkedIn's answer to an upload can't be read" })

  const uploadImage = Effect.fn("Linkedin.uploadImage")(function* (hash: string, account: AccountAccess) {
    const begin = action("images", "initializeUpload", { initializeUploadRequest: { owner: account.accountId } })
    const begun = readImage(yield* ask(account, begin))
    if (Option.isNone(begun)) return yield* unreadable
    const { image, uploadUrl } = begun.value.value
    const request = HttpClientRequest.put(yield* checkAddress(uploadUrl)).pipe(
      HttpClientRequest.bodyUint8Array(yield* bytesOf(account, hash), "application/octet-stream")
    )
    yield* ask(account, request)
    return image
  })

  /** LinkedIn refuses a token at these addresses. */
  const putPart = (url: string, bytes: Uint8Array) =>
    call(HttpClientRequest.put(url).pipe(HttpClientRequest.bodyUint8Array(bytes, "application/octet-stream"))).pipe(
      Effect.mapError(unanswered),
      Effect.flatMap(orRefused),
      Effect.flatMap(({ headers }) => Effect.fromNullishOr(headers["etag"])),
      Effect.catchTag("NoSuchElementError", () => unreadable),
      Effect.retry({
        times: partRetries,
        schedule: Schedule.exponential("1 second"),
        while: (error) => error._tag === "Unavailable"
      })
    )

  const uploadVideo = Effect.fn("Linkedin.uploadVideo")(function* (
    { hash, size }: PlatformFile,
    account: AccountAccess
  ) {
    const initializeUploadRequest = {
      owner: account.accountId,
      fileSizeBytes: size,
      uploadCaptions: false,
      uploadThumbnail: false
    }
    const begun = readVideo(yield* ask(account, action("videos", "initializeUpload", { initializeUploadRequest })))
    if (Option.isNone(begun)) return yield* unreadable
    const { uploadInstructions, uploadToken, video } = begun.value.value
    const uploadedPartIds: Array<string> = []
    for (const { firstByte, lastByte, uploadUrl } of uploadInstructions) {
      const bytes = yield* bytesOf(account, hash, { offset: firstByte, length: lastByte - firstByte + 1 })
      uploadedPartIds.push(yield* putPart(yield* checkAddress(uploadUrl), bytes))
    }
    const finalizeUploadRequest = { video, uploadToken, uploadedPartIds }
    yield* ask(account, action("videos", "finalizeUpload", { finalizeUploadRequest }))
    return video
  })

  /** Null if this token may not read the state. */
  const stateOf = Effect.fnUntraced(function* ({ kind, urn }: Pick<BegunFile, "kind" | "urn">, account: AccountAccess) {
    const request = HttpClientRequest.get(`${config.apiUrl}/rest/${kind}s/${encodeURIComponent(urn)}`, {
      acceptJson: true
    })
    const response = yield* api.sendIdly(account, request)
    if (response.status === 403 && errorOf(response) !== undefined) return null
    if (response.status === 404 && errorOf(response) !== undefined) {
      return yield* new UploadsGone({ message: `LinkedIn does not know a file of this post: ${detailOf(response)}` })
    }
    const read = readState(yield* orRefused(response))
    return Option.isSome(read) ? read.value.status : yield* unreadable
  })

  const isReady = Effect.fnUntraced(function* (file: BegunFile, account: AccountAccess) {
    const state = file.kind === "image" && !isPageUrn(account.accountId) ? null : yield* stateOf(file, account)
    if (state === null) {
      return DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, DateTime.addDuration(file.uploadedAt, imageTime))
    }
    if (state === "PROCESSING_FAILED") {
      return yield* new Rejected({
        message: "LinkedIn could not process a file of this post. Copy the post with another file"
      })
    }
    return state === "AVAILABLE"
  })

  const uploadOne = Effect.fnUntraced(function* (file: PlatformFile, account: AccountAccess) {
    const kind = file.type === "video" ? ("video" as const) : ("image" as const)
    const urn = yield* kind === "video" ? uploadVideo(file, account) : uploadImage(file.hash, account)
    return { urn, kind, hash: file.hash, uploadedAt: yield* DateTime.now, isReady: false }
  })

  const upload = Effect.fn("Linkedin.upload")(function* (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    stored: Schema.Json | null
  ): Effect.fn.Return<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable> {
    const { accountId } = account
    const known = readBegun(stored, files, account)?.media
    const begun = known ?? (yield* Effect.forEach(files, (file) => uploadOne(file, account)))
    const media = yield* Effect.forEach(begun, (file) =>
      file.isReady ? Effect.succeed(file) : Effect.map(isReady(file, account), (ready) => ({ ...file, isReady: ready }))
    )
    const waiting = media.find((file) => !file.isReady)
    if (waiting !== undefined) {
      return Processing({
        begun: encodeBegun({ ...begunAs.members, accountId, media }),
        askAfter: checkAfter[waiting.kind]
      })
    }
    const named = media.map(({ urn }, index) => ({ urn, alt: files[index]?.alt ?? "" }))
    return Uploaded({ uploads: encodeUploads({ ...storedAs.members, accountId, media: named }) })
  })

  /** Uploads link cards' pictures, and waits for each a few seconds. */
  const uploadThumbnails: NonNullable<PlatformAdapter["repeatUpload"]> = (
    files: ReadonlyArray<SentFile>,
    account: AccountAccess
  ) =>
    Effect.forEach(
      files,
      Effect.fn("Linkedin.uploadThumbnail")(function* ({ hash }: SentFile) {
        const urn = yield* uploadImage(hash, account)
        const check = isPageUrn(account.accountId)
          ? Effect.map(stateOf({ kind: "image", urn }, account), (state) => state === "AVAILABLE" || state === null)
          : Effect.succeed(true)
        yield* Effect.delay(check, "1 second").pipe(Effect.repeat({ until: (ready) => ready, times: thumbnailChecks }))
        return urn
      })
    )

  return { upload, uploadThumbnails }
}
