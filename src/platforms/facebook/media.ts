import { Duration, Effect, Option, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { isUprightVideo } from "../../domain/media/mediaRules.ts"
import { type PlatformError, Rejected, Unavailable, type UploadsGone } from "../../domain/publishing/platformError.ts"
import { CallTimeout, type PlatformResponse, readResponse } from "../call.ts"
import { problemOf } from "../meta/problem.ts"
import type { Usage } from "../meta/usage.ts"
import { failAt } from "../outcome.ts"
import {
  type AccountAccess,
  type PlatformAdapter,
  type PlatformFile,
  Processing,
  Uploaded,
  type UploadProgress
} from "../PlatformClient.ts"
import { platformDetail } from "../platformText.ts"
import { type FacebookApi, formTo, isDone } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { encodeUploads } from "./prepared.ts"
import { makePageVideoUpload } from "./pageVideo.ts"
import { refusedIdly } from "./problem.ts"
import { videoRequest, videoState } from "./state.ts"
import { MetaId } from "../meta/syntax.ts"

const readPhoto = readResponse(Schema.Struct({ id: MetaId }))
const readStart = readResponse(
  Schema.Struct({ video_id: MetaId, upload_url: Schema.String.check(Schema.isMaxLength(2_048)) })
)
const readUploadError = readResponse(Schema.Struct({ debug_info: Schema.Struct({ message: Schema.String }) }))

/** A reel that is being uploaded. Its bytes can be continued by any process. */
const Begun = Schema.Struct({
  accountId: MetaId,
  video: MetaId,
  hash: Schema.String,
  url: Schema.String,
  /** The requests with bytes so far. */
  tries: Schema.Int
})
type Begun = typeof Begun.Type
const readBegun = Schema.decodeUnknownOption(Begun)
const encodeBegun = Schema.encodeSync(Begun)

const maxTries = 8

/** The longest time for one request with the rest of a video's bytes. An upload may take 20 minutes. */
const bytesTimeout = Duration.minutes(15)

/** The pause after a request with bytes. */
const pause = Duration.seconds(5)

const detailOf = (response: PlatformResponse): string => {
  const error = readUploadError(response)
  if (Option.isSome(error)) return platformDetail(error.value.debug_info.message)
  return problemOf(response)?.detail ?? `status ${response.status}`
}

const orRefused = (response: PlatformResponse) => failAt((now): PlatformError => refusedIdly(response, now))

const waitFor = (begun: Begun): UploadProgress => Processing({ begun: encodeBegun(begun), askAfter: pause })

/** Photos and videos that only the Page sees. Each request can be repeated. */
export const makeUpload = (
  config: FacebookConfig,
  { ask }: Pick<FacebookApi, "ask">,
  usage: Pick<Usage, "check">
): NonNullable<PlatformAdapter["upload"]> => {
  const uploadPhoto = Effect.fn("Facebook.uploadPhoto")(function* (
    { alt, contentType, hash }: PlatformFile,
    account: AccountAccess
  ) {
    const parts = yield* Stream.runCollect(account.files.read(hash))
    const form = new FormData()
    form.set("published", "false")
    if (alt !== "") form.set("alt_text_custom", alt)
    form.set("source", new Blob([Buffer.concat([...parts])], { type: contentType }), "photo")
    const request = formTo(config, `/${account.accountId}/photos`, {}).pipe(HttpClientRequest.bodyFormData(form))
    const response = yield* ask(account, request)
    const photo = response.status === 200 ? readPhoto(response) : Option.none()
    return Option.isSome(photo) ? photo.value.id : yield* orRefused(response)
  })

  /** The address comes from an answer, and gets a token. */
  const isOwn = (url: string) => URL.parse(url)?.origin === new URL(config.uploadUrl).origin

  const start = Effect.fn("Facebook.startVideo")(function* ({ hash }: PlatformFile, account: AccountAccess) {
    const { accountId } = account
    const response = yield* ask(account, formTo(config, `/${accountId}/video_reels`, { upload_phase: "start" }))
    const started = response.status === 200 ? readStart(response) : Option.none()
    if (Option.isNone(started)) return yield* orRefused(response)
    const { upload_url: url, video_id: video } = started.value
    if (!isOwn(url)) return yield* new Unavailable({ message: "Facebook named another host for an upload" })
    return { accountId, video, hash, url, tries: 0 } satisfies Begun
  })

  const sendBytes = Effect.fn("Facebook.sendBytes")(function* (
    { hash, url }: Begun,
    { size }: PlatformFile,
    offset: number,
    account: AccountAccess
  ) {
    const bytes = account.files.read(hash, { offset, length: size - offset })
    const request = HttpClientRequest.post(url, { headers: { offset: String(offset), file_size: String(size) } }).pipe(
      HttpClientRequest.bodyStream(bytes, { contentType: "application/octet-stream", contentLength: size - offset })
    )
    return yield* ask(account, request, "OAuth").pipe(Effect.provideService(CallTimeout, bytesTimeout))
  })

  const uploadReel = Effect.fn("Facebook.uploadReel")(function* (
    file: PlatformFile,
    account: AccountAccess,
    stored: Schema.Json | null
  ): Effect.fn.Return<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable> {
    const { accountId } = account
    const known = Option.getOrUndefined(
      Option.filter(readBegun(stored), (begun) => begun.accountId === accountId && begun.hash === file.hash)
    )
    // The id is stored before the first byte, so that another process can go on.
    if (known === undefined || !isOwn(known.url)) return waitFor(yield* start(file, account))
    const { tries, video } = known
    const state = videoState(video, yield* ask(account, videoRequest(config, video)))
    if (Option.isSome(state) && !["Failed", "Uploading"].includes(state.value._tag)) {
      return Uploaded({ uploads: encodeUploads({ accountId, photos: [], video }) })
    }
    if (tries >= maxTries) return yield* new Rejected({ message: "Facebook did not take the video of this post" })
    if (Option.isSome(state) && state.value._tag === "Failed") {
      return waitFor({ ...(yield* start(file, account)), tries: tries + 1 })
    }
    const offset = Option.isSome(state) && state.value._tag === "Uploading" ? state.value.offset : 0
    const sent = yield* sendBytes(known, file, offset < file.size ? offset : 0, account).pipe(
      Effect.catchTag("Unavailable", ({ message }) => Effect.succeed(message))
    )
    if (typeof sent !== "string" && isDone(sent)) return waitFor({ ...known, tries: tries + 1 })
    const reason = typeof sent === "string" ? sent : detailOf(sent)
    yield* Effect.logInfo(`Facebook has not taken all bytes of a video yet: ${reason}`)
    return waitFor({ ...known, tries: tries + 1 })
  })

  const uploadPageVideo = makePageVideoUpload(config, { ask })

  return Effect.fn("Facebook.upload")(function* (files, account, begun) {
    yield* usage.check("Facebook", account)
    const [first, ...more] = files
    if (first?.type === "video" && more.length === 0) {
      // Facebook keeps an upright video that is no reel as a draft.
      return yield* (isUprightVideo(first) ? uploadReel : uploadPageVideo)(first, account, begun)
    }
    const photos = yield* Effect.forEach(files, (file) => uploadPhoto(file, account))
    return Uploaded({ uploads: encodeUploads({ accountId: account.accountId, photos }) })
  })
}
