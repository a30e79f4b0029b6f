import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { nextMediaId } from "../../domain/ids.ts"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import { CallTimeout, type PlatformResponse } from "../call.ts"
import { failAt, numberIn } from "../outcome.ts"
import {
  type AccountAccess,
  type PlatformAdapter,
  type PlatformFile,
  Processing,
  Uploaded,
  type UploadProgress
} from "../PlatformClient.ts"
import type { YoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import * as limits from "./limits.ts"
import { encodeUploads } from "./prepared.ts"
import { problemOf, refusedIdly } from "./problem.ts"
import type { UploadCount } from "./quota.ts"
import { sessionOf, sessionQuestion, sessionStart, sessionState } from "./session.ts"
import { videoRequest, videoState } from "./state.ts"
import { ChannelId, makeKey, VideoId } from "./syntax.ts"
import { findByTitle } from "./timeline.ts"

/** An upload that has begun. Any process can go on. */
const Begun = Schema.Struct({
  accountId: ChannelId,
  hash: Schema.String,
  /** The title by which the video is known until it is published. */
  key: Schema.String,
  /** The session's address. */
  session: Schema.String,
  /** The bytes that had arrived when YouTube was last asked. */
  arrived: Schema.Int,
  /** Set once all bytes have arrived. */
  video: Schema.optionalKey(VideoId),
  /** The failures since YouTube last took bytes. */
  failures: Schema.Int,
  /** The questions whether the video is processed. */
  questions: Schema.optionalKey(Schema.Int),
  /** The uploads that were begun before this one, and given up. */
  earlier: Schema.Int
})
type Begun = typeof Begun.Type
const readBegun = Schema.decodeUnknownOption(Begun)
const encodeBegun = Schema.encodeSync(Begun)

type Failure = PlatformError | DatabaseUnavailable

/** After these, the upload begins anew. */
const maxFailures = 8
const maxUploads = 3

/** The most bytes in one request, which are read from the store one after another. */
const chunkSize = 64 * limits.chunkBytes

/** The longest time for one chunk. */
const bytesTimeout = Duration.minutes(4)

/** After this time, no more bytes are sent before the claim of the upload is renewed. */
const longestTurn = Duration.minutes(5)

const pause = Duration.seconds(5)
const unknownPause = Duration.seconds(20)

/** Each question costs a unit of the application's day. A video that is processed for a day costs about 130. */
const processingPause = (questions: number): Duration.Duration => {
  if (questions < 15) return Duration.seconds(20)
  return Duration.minutes(questions < 30 ? 1 : questions < 40 ? 5 : 15)
}
const longestPause = Duration.minutes(5)

const waitFor = (begun: Begun, askAfter = pause): UploadProgress => Processing({ begun: encodeBegun(begun), askAfter })

/** The pause that YouTube asks for. */
const pauseIn = ({ headers }: PlatformResponse): Duration.Duration =>
  Duration.clamp(Duration.seconds(numberIn(headers, "retry-after") ?? 0), { minimum: pause, maximum: longestPause })

/**
 * Uploads a video that only its channel sees, and waits until it is processed. The session's address is stored before
 * the first byte. After a lost answer or a kill, YouTube tells by that address how much has arrived.
 */
export const makeUpload = (
  config: YoutubeConfig,
  api: YoutubeApi,
  countUpload: UploadCount
): NonNullable<PlatformAdapter["upload"]> => {
  const { ask } = api

  const begin = Effect.fn("Youtube.beginUpload")(function* (
    file: PlatformFile,
    account: AccountAccess,
    earlier: number
  ): Effect.fn.Return<UploadProgress, Failure> {
    const key = makeKey(yield* nextMediaId)
    const response = yield* ask(account, sessionStart(config, file, key))
    const session = sessionOf(config, response)
    if (Option.isSome(session)) {
      yield* countUpload
      const { accountId } = account
      return waitFor(
        { accountId, hash: file.hash, key, session: session.value, arrived: 0, failures: 0, earlier },
        Duration.zero
      )
    }
    return yield* failAt((now) =>
      response.status === 200
        ? new Unavailable({ message: "YouTube named no address of its own for an upload" })
        : refusedIdly(response, now)
    )
  })

  /** Nobody ever sees an upload that is given up. */
  const beginAnew = (
    { earlier }: Begun,
    file: PlatformFile,
    account: AccountAccess,
    reason: string
  ): Effect.Effect<UploadProgress, Failure> =>
    earlier + 1 >= maxUploads
      ? Effect.fail(new Rejected({ message: `YouTube did not take the video of this post: ${reason}` }))
      : begin(file, account, earlier + 1)

  /** The video arrived although its session does not say so, or the upload begins anew. */
  const settleLost = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    reason: string
  ): Effect.fn.Return<UploadProgress, Failure> {
    const found = yield* findByTitle(config, api, account, begun.key)
    return Option.isSome(found)
      ? waitFor({ ...begun, video: found.value, failures: 0 }, Duration.zero)
      : yield* beginAnew(begun, file, account, reason)
  })

  const failed = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    reason: string
  ): Effect.fn.Return<UploadProgress, Failure> {
    const failures = begun.failures + 1
    if (failures >= maxFailures) return yield* settleLost(begun, file, account, reason)
    yield* Effect.logInfo(`YouTube has not taken all of a video yet: ${reason}`)
    return waitFor({ ...begun, failures })
  })

  /** An answer that does not tell the session's state. */
  const refused = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    response: PlatformResponse
  ): Effect.fn.Return<UploadProgress, Failure> {
    const error = refusedIdly(response, yield* DateTime.now)
    if (error._tag === "Rejected") return yield* settleLost(begun, file, account, problemOf(response)?.detail ?? "")
    // An outage costs no upload, however long it lasts.
    return error._tag === "Unavailable" && numberIn(response.headers, "retry-after") !== undefined
      ? waitFor(begun, pauseIn(response))
      : yield* error
  })

  /**
   * Nothing answers at the session's address. If YouTube itself can be reached, the address is dead, and the upload
   * begins anew after some failures. An outage of all of YouTube costs no upload.
   */
  const unreachable = Effect.fnUntraced(function* (
    begun: Begun,
    file: PlatformFile,
    account: AccountAccess,
    { message }: Unavailable
  ): Effect.fn.Return<UploadProgress, Failure> {
    const found = yield* findByTitle(config, api, account, begun.key)
    return Option.isSome(found)
      ? waitFor({ ...begun, video: found.value, failures: 0 }, Duration.zero)
      : yield* failed(begun, file, account, message)
  })

  const sendChunk = (
    { hash, session }: Begun,
    { contentType, size }: PlatformFile,
    offset: number,
    account: AccountAccess
  ) => {
    const length = Math.min(chunkSize, size - offset)
    const request = HttpClientRequest.put(session, {
      headers: { "content-range": `bytes ${offset}-${offset + length - 1}/${size}` }
    }).pipe(
      HttpClientRequest.bodyStream(account.files.read(hash, { offset, length }), { contentType, contentLength: length })
    )
    return ask(account, request).pipe(
      Effect.provideService(CallTimeout, bytesTimeout),
      Effect.withSpan("Youtube.sendChunk")
    )
  }

  const transfer = Effect.fnUntraced(function* (
    known: Begun,
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<UploadProgress, Failure> {
    const { size } = file
    const end = DateTime.addDuration(yield* DateTime.now, longestTurn)
    let { arrived, failures } = known
    let isSent = false
    const asked = yield* Effect.result(ask(account, sessionQuestion(known.session, size)))
    if (Result.isFailure(asked)) {
      return asked.failure._tag === "Unavailable"
        ? yield* unreachable(known, file, account, asked.failure)
        : yield* asked.failure
    }
    let response = asked.success
    while (true) {
      const begun = { ...known, arrived, failures }
      const state = sessionState(response, size)
      if (Option.isNone(state)) return yield* refused(begun, file, account, response)
      switch (state.value._tag) {
        case "Done":
          return waitFor({ ...begun, video: state.value.video, failures: 0 }, Duration.zero)
        case "Gone":
          return yield* settleLost(begun, file, account, "the upload has ended")
        case "Waiting": {
          const { offset } = state.value
          if (offset === size) return yield* failed(begun, file, account, "all bytes have arrived, but no video")
          if (offset > arrived) failures = 0
          else if (isSent) return yield* failed(begun, file, account, "it took no bytes")
          arrived = offset
          const now = { ...known, arrived, failures }
          if (DateTime.isGreaterThan(yield* DateTime.now, end)) return waitFor(now, Duration.zero)
          const sent = yield* Effect.result(sendChunk(known, file, offset, account))
          if (Result.isFailure(sent)) {
            if (sent.failure._tag !== "Unavailable") return yield* sent.failure
            return yield* failed(now, file, account, sent.failure.message)
          }
          isSent = true
          response = sent.success
        }
      }
    }
  })

  /** Waits until the video is processed, because it may still be rejected before. */
  const follow = Effect.fn("Youtube.followProcessing")(function* (
    begun: Begun,
    video: string,
    file: PlatformFile,
    account: AccountAccess
  ): Effect.fn.Return<UploadProgress, Failure> {
    const response = yield* ask(account, videoRequest(config, video))
    const state = videoState(video, response)
    if (Option.isNone(state)) {
      return yield* failAt((now) =>
        response.status === 200
          ? new Unavailable({ message: "YouTube did not tell the state of a video" })
          : refusedIdly(response, now)
      )
    }
    if (state.value === "missing") {
      // A new video may be unknown for some seconds.
      const failures = begun.failures + 1
      return failures >= maxFailures
        ? yield* beginAnew(begun, file, account, "somebody has deleted it")
        : waitFor({ ...begun, failures }, unknownPause)
    }
    const { failure, status } = state.value
    if (failure !== undefined) {
      return yield* new Rejected({ message: `YouTube can't show the video of this post (${failure})` })
    }
    const { accountId, key, questions = 0 } = begun
    return status === "processed"
      ? Uploaded({ uploads: encodeUploads({ accountId, video, key }) })
      : waitFor({ ...begun, failures: 0, questions: questions + 1 }, processingPause(questions))
  })

  return Effect.fn("Youtube.upload")(function* (files, account, stored) {
    const [file, ...more] = files
    if (file?.type !== "video" || more.length > 0) {
      return yield* new Rejected({ message: "YouTube accepts exactly one video in a post" })
    }
    const known = Option.getOrUndefined(
      Option.filter(readBegun(stored), ({ accountId, hash }) => accountId === account.accountId && hash === file.hash)
    )
    if (known === undefined) return yield* begin(file, account, 0)
    return yield* known.video === undefined ? transfer(known, file, account) : follow(known, known.video, file, account)
  })
}
