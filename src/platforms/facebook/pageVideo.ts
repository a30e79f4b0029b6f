import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import { CallTimeout, type PlatformResponse, readResponse } from "../call.ts"
import { problemOf } from "../meta/problem.ts"
import { MetaId } from "../meta/syntax.ts"
import { failAt } from "../outcome.ts"
import { type AccountAccess, type PlatformFile, Processing, Uploaded, type UploadProgress } from "../PlatformClient.ts"
import { type FacebookApi, formTo, isDone } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { multipart } from "./multipart.ts"
import { encodeUploadedVideo } from "./prepared.ts"
import { refusedIdly } from "./problem.ts"
import { pageVideoRequest, pageVideoState } from "./state.ts"

/** Facebook sends offsets as strings. */
const Offset = Schema.Union([
  Schema.Int,
  Schema.String.check(Schema.isPattern(/^\d{1,15}$/)).pipe(Schema.decodeTo(Schema.FiniteFromString))
]).check(Schema.isGreaterThanOrEqualTo(0))

const range = { start_offset: Offset, end_offset: Offset }
const readStart = readResponse(Schema.Struct({ video_id: MetaId, upload_session_id: MetaId, ...range }))
const readNext = readResponse(Schema.Struct(range))
/** Facebook names the range that it waits for if it gets another one. */
const readExpected = readResponse(Schema.Struct({ error: Schema.Struct({ error_data: Schema.Struct(range) }) }))

/** A video that is being uploaded, and then processed. Any process can go on. */
const Begun = Schema.Struct({
  accountId: MetaId,
  pageVideo: MetaId,
  session: MetaId,
  hash: Schema.String,
  /** The bytes that Facebook waits for. Equal once all have arrived. */
  from: Schema.Int,
  to: Schema.Int,
  /** True once Facebook was told that all bytes have arrived. */
  isFinished: Schema.Boolean,
  /** The failures since Facebook last took bytes. */
  failures: Schema.Int,
  isSecond: Schema.Boolean
})
type Begun = typeof Begun.Type
const readBegun = Schema.decodeUnknownOption(Begun)
const encodeBegun = Schema.encodeSync(Begun)

/** After these, the upload begins anew, once. */
const maxFailures = 8

/** The longest time for the bytes that Facebook asks for in one answer. */
const bytesTimeout = Duration.minutes(12)

/** After this time, no more bytes are sent before the progress is stored. */
const longestTurn = Duration.minutes(5)

const pause = Duration.seconds(5)
const processingPause = Duration.seconds(20)

const waitFor = (begun: Begun, askAfter = pause): UploadProgress => Processing({ begun: encodeBegun(begun), askAfter })

const rangeOf = (
  { end_offset, start_offset }: { readonly start_offset: number; readonly end_offset: number },
  { size }: PlatformFile
): Option.Option<Pick<Begun, "from" | "to">> =>
  start_offset <= end_offset && end_offset <= size ? Option.some({ from: start_offset, to: end_offset }) : Option.none()

/** Why Facebook did not take something. Fails with what says nothing about the video. */
const failureOf = (response: PlatformResponse): Effect.Effect<string, PlatformError> =>
  Effect.flatMap(DateTime.now, (now) => {
    const error = refusedIdly(response, now)
    return ["NeedsReauthorization", "RateLimited", "Unavailable"].includes(error._tag)
      ? Effect.fail(error)
      : Effect.succeed(problemOf(response)?.detail ?? error.message)
  })

const finished = (begun: Begun) => waitFor({ ...begun, isFinished: true, failures: 0 }, processingPause)

const withRange = (begun: Begun, bytes: Pick<Begun, "from" | "to">): Begun => ({
  ...begun,
  ...bytes,
  failures: bytes.from > begun.from ? 0 : begun.failures + 1
})

/**
 * Uploads a video that is no reel, which nobody sees. Facebook names the bytes that it waits for, so that an upload is
 * continued after a lost answer, by any process. No address comes from an answer.
 */
export const makePageVideoUpload = (config: FacebookConfig, { ask }: Pick<FacebookApi, "ask">) => {
  type Failure = PlatformError | DatabaseUnavailable

  const videos = ({ accountId }: Pick<AccountAccess, "accountId">, form: Readonly<Record<string, string>>) =>
    formTo(config, `/${accountId}/videos`, form)

  const start = Effect.fn("Facebook.startPageVideo")(function* (
    file: PlatformFile,
    account: AccountAccess,
    isSecond: boolean
  ): Effect.fn.Return<UploadProgress, Failure> {
    const { accountId } = account
    const form = { upload_phase: "start", file_size: String(file.size) }
    const response = yield* ask(account, videos(account, form))
    const started = response.status === 200 ? readStart(response) : Option.none()
    if (Option.isNone(started)) return yield* failAt((now) => refusedIdly(response, now))
    const { upload_session_id: session, video_id: pageVideo, ...offsets } = started.value
    const bytes = rangeOf(offsets, file)
    if (Option.isNone(bytes)) return yield* new Unavailable({ message: "Facebook asked for bytes beyond a video" })
    const { from, to } = bytes.value
    // The id is stored before the first byte.
    return waitFor({
      accountId,
      pageVideo,
      session,
      hash: file.hash,
      from,
      to,
      isFinished: false,
      failures: 0,
      isSecond
    })
  })

  const sendBytes = Effect.fn("Facebook.sendPageVideo")(function* (
    { from, hash, session, to }: Begun,
    account: AccountAccess
  ) {
    const form = { upload_phase: "transfer", upload_session_id: session, start_offset: String(from) }
    const size = to - from
    const bytes = account.files.read(hash, { offset: from, length: size })
    const body = multipart(form, { name: "video_file_chunk", bytes, size }, hash)
    return yield* ask(account, videos(account, {}).pipe(HttpClientRequest.setBody(body))).pipe(
      Effect.provideService(CallTimeout, bytesTimeout)
    )
  })

  const again = (
    { isSecond }: Begun,
    file: PlatformFile,
    account: AccountAccess,
    reason: string
  ): Effect.Effect<UploadProgress, Failure> =>
    isSecond
      ? Effect.fail(new Rejected({ message: `Facebook could not use the video of this post: ${reason}` }))
      : start(file, account, true)

  const failed = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    reason: string
  ): Effect.fn.Return<UploadProgress, Failure> {
    const failures = begun.failures + 1
    if (failures >= maxFailures) return yield* again(begun, file, account, reason)
    yield* Effect.logInfo(`Facebook has not taken all of a video yet: ${reason}`)
    return waitFor({ ...begun, failures }, begun.isFinished ? processingPause : pause)
  })

  const stateOf = (account: AccountAccess, { pageVideo }: Begun) =>
    Effect.map(ask(account, pageVideoRequest(config, pageVideo)), (response) => ({
      response,
      state: pageVideoState(pageVideo, response)
    }))

  /** Facebook takes nothing more after an end of the upload whose answer was lost. */
  const refused = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    response: PlatformResponse
  ): Effect.fn.Return<UploadProgress, Failure> {
    const reason = yield* failureOf(response)
    const { state } = yield* stateOf(account, begun)
    return Option.exists(state, ({ isTaken }) => isTaken)
      ? finished(begun)
      : yield* failed(begun, file, account, reason)
  })

  /** Nobody sees the video after this. */
  const finish = Effect.fn("Facebook.finishPageVideo")(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<UploadProgress, Failure> {
    const form = { upload_phase: "finish", upload_session_id: begun.session, published: "false" }
    const response = yield* ask(account, videos(account, form))
    return isDone(response) ? finished(begun) : yield* refused(begun, file, account, response)
  })

  /** After a lost answer, the first part is sent again, and Facebook names the bytes that it lacks. */
  const transfer = Effect.fnUntraced(function* (
    known: Begun,
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<UploadProgress, Failure> {
    const end = DateTime.addDuration(yield* DateTime.now, longestTurn)
    let begun = known
    while (begun.from < begun.to) {
      if (DateTime.isGreaterThan(yield* DateTime.now, end)) return waitFor(begun)
      const response = yield* sendBytes(begun, account)
      const next = response.status === 200 ? readNext(response) : Option.none()
      if (Option.isSome(next)) {
        const bytes = rangeOf(next.value, file)
        if (Option.isNone(bytes)) return yield* failed(begun, file, account, "it asked for bytes beyond the video")
        begun = withRange(begun, bytes.value)
        if (begun.failures >= maxFailures) return yield* again(begun, file, account, "it took no bytes")
        continue
      }
      const expected = Option.flatMap(readExpected(response), ({ error }) => rangeOf(error.error_data, file))
      return yield* Option.isSome(expected)
        ? failed({ ...begun, ...expected.value }, file, account, "it waits for other bytes")
        : refused(begun, file, account, response)
    }
    return yield* finish(begun, file, account)
  })

  /** Follows a video until it is processed, because a post whose video fails must not be published. */
  const follow = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<UploadProgress, Failure> {
    const { accountId, pageVideo } = begun
    const { response, state } = yield* stateOf(account, begun)
    if (Option.isNone(state)) return yield* failed(begun, file, account, yield* failureOf(response))
    const { failure, isReady } = state.value
    if (failure !== undefined) return yield* again(begun, file, account, failure)
    return isReady
      ? Uploaded({ uploads: encodeUploadedVideo({ accountId, pageVideo }) })
      : waitFor({ ...begun, failures: 0 }, processingPause)
  })

  return Effect.fn("Facebook.uploadPageVideo")(function* (
    file: PlatformFile,
    account: AccountAccess,
    stored: Schema.Json | null
  ): Effect.fn.Return<UploadProgress, Failure> {
    const known = Option.filter(
      readBegun(stored),
      ({ accountId, hash }) => accountId === account.accountId && hash === file.hash
    )
    if (Option.isNone(known)) return yield* start(file, account, false)
    const step = known.value.isFinished ? follow : transfer
    return yield* step(known.value, file, account)
  })
}
