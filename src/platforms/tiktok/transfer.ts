import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Preparing, Unavailable } from "../../domain/publishing/platformError.ts"
import { readResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { TiktokApi } from "./api.ts"
import { chunkAt, chunksOf, contentRange, takenChunks } from "./chunks.ts"
import type { TiktokConfig } from "./config.ts"
import { type SentVideo, takesBytes, Upload } from "./prepared.ts"
import { isOk, refusedIdly } from "./problem.ts"
import { isUnknownUpload, readableRefusal } from "./send.ts"
import { stateIn } from "./state.ts"
import { OpenId, PublishId, TiktokUsername } from "./syntax.ts"

const readBegun = readResponse(
  Schema.Struct({
    data: Schema.Struct({ publish_id: PublishId, upload_url: Schema.String.check(Schema.isMaxLength(2_048)) })
  })
)

/** An upload that any process can continue. */
const Transfer = Schema.Struct({
  accountId: OpenId,
  username: TiktokUsername,
  /** The post's text and settings, which TikTok got at the beginning. */
  wanted: Schema.String,
  upload: Upload,
  /** The chunks that have arrived. */
  taken: Schema.Int
})
export type Transfer = typeof Transfer.Type
export const readTransfer = Schema.decodeUnknownOption(Transfer)
const encodeTransfer = Schema.encodeSync(Transfer)

/** No more chunks are sent after this time, until the progress is stored. Shorter than the time for a preparation. */
const longestTurn = Duration.seconds(20)

/** The pause after a chunk that did not arrive. */
const pause = Duration.seconds(10)
const soon = Duration.seconds(1)

/** The address has ended, its upload is gone, or has other bytes than this service sent. */
const endings = new Set([400, 403, 404, 416])

interface Beginning extends Pick<Transfer, "username" | "wanted"> {
  readonly account: AccountAccess
  readonly info: Readonly<Record<string, string | boolean>>
  readonly video: SentVideo
}

const uploading = (transfer: Transfer, askAfter = soon) =>
  new Preparing({ message: "The video is being uploaded to TikTok", begun: encodeTransfer(transfer), askAfter })

const lastOf = ({ upload }: Transfer): number => chunksOf(upload.video.size).count - 1

/** The progress if TikTok has all bytes. Only the last chunk comes next, before which the state is asked for. */
const whole = (transfer: Transfer): Transfer => ({
  ...transfer,
  taken: lastOf(transfer),
  upload: { ...transfer.upload, isWhole: true }
})

type TransferFailure = Preparing | PlatformError | DatabaseUnavailable

/** The address comes from an answer, and gets a person's video. */
const isOwn = ({ apiUrl }: Pick<TiktokConfig, "apiUrl">, address: string): boolean => {
  const url = URL.parse(address)
  if (url === null) return false
  return (
    url.origin === new URL(apiUrl).origin || (url.protocol === "https:" && url.hostname.endsWith(".tiktokapis.com"))
  )
}

/** Uploads all chunks of a video but the last one. Nobody sees anything of them. */
export const makeTransfer = (config: TiktokConfig, { ask, calls }: Pick<TiktokApi, "ask" | "calls">) => {
  const begin = Effect.fn("Tiktok.beginUpload")(function* ({
    account,
    info,
    username,
    video,
    wanted
  }: Beginning): Effect.fn.Return<Transfer, PlatformError | DatabaseUnavailable> {
    const begunAt = yield* DateTime.now
    const { count, size } = chunksOf(video.size)
    const response = yield* ask(account, "video/init", {
      post_info: info,
      source_info: { source: "FILE_UPLOAD", video_size: video.size, chunk_size: size, total_chunk_count: count }
    })
    const begun = isOk(response) ? readBegun(response) : Option.none()
    if (Option.isNone(begun)) return yield* failAt((now) => refusedIdly(response, now))
    const { publish_id: publishId, upload_url: url } = begun.value.data
    if (!isOwn(config, url)) return yield* new Unavailable({ message: "TikTok named another host for an upload" })
    return {
      accountId: account.accountId,
      username,
      wanted,
      upload: { publishId, url, video, begunAt },
      taken: 0
    }
  })

  const sendChunk = Effect.fn("Tiktok.sendChunk")(function* (
    { taken, upload: { url, video } }: Transfer,
    account: AccountAccess
  ) {
    const { contentType, hash, size } = video
    const range = chunkAt(size, taken)
    const request = HttpClientRequest.put(url, { headers: { "content-range": contentRange(range, size) } }).pipe(
      HttpClientRequest.bodyStream(account.files.read(hash, range), { contentType, contentLength: range.length })
    )
    return yield* Effect.result(calls.configured(request))
  })

  /**
   * None if TikTok says that bytes are missing, that the upload failed, or that it does not know the upload. Only then
   * can it begin anew.
   */
  const askIfOver = Effect.fnUntraced(function* (
    transfer: Transfer,
    account: AccountAccess
  ): Effect.fn.Return<Option.Option<Transfer>, TransferFailure> {
    const { publishId, video } = transfer.upload
    const response = yield* ask(account, "status/fetch", { publish_id: publishId })
    const state = Option.getOrUndefined(stateIn(response, video.size))
    switch (state?._tag) {
      case undefined:
        return isUnknownUpload(response) ? Option.none() : yield* failAt((now) => readableRefusal(response, now))
      case "Failed":
        return Option.none()
      case "Uploading":
        return state.uploaded === undefined ? yield* uploading(transfer, pause) : Option.none()
      default:
        return yield* uploading(whole(transfer))
    }
  })

  /**
   * Fails with Preparing while chunks are missing. None if TikTok takes no more of them, so that the upload has to
   * begin anew. This is safe unless TikTok has all bytes: it then publishes the video, whose state `send` asks for.
   */
  const transfer = Effect.fnUntraced(function* (
    known: Transfer,
    account: AccountAccess
  ): Effect.fn.Return<Option.Option<Transfer>, TransferFailure> {
    const { video } = known.upload
    const last = lastOf(known)
    const end = DateTime.addDuration(yield* DateTime.now, longestTurn)
    let { taken } = known
    const at = (count: number): Transfer => ({ ...known, taken: count })
    while (taken < last) {
      const now = yield* DateTime.now
      if (!takesBytes(known.upload, now)) return yield* askIfOver(at(taken), account)
      if (DateTime.isGreaterThan(now, end)) return yield* uploading(at(taken))
      const answer = yield* sendChunk(at(taken), account)
      if (Result.isFailure(answer)) {
        yield* Effect.logInfo(`TikTok has not taken a chunk of a video yet: ${answer.failure.message}`)
        return yield* uploading(at(taken), pause)
      }
      const { headers, status } = answer.success
      // All bytes have arrived.
      if (status === 201) return yield* uploading(whole(known))
      if (status === 206) {
        taken += 1
        continue
      }
      // The answer to an earlier chunk was lost.
      const arrived = status === 416 ? takenChunks(headers["content-range"], video.size) : undefined
      if (arrived !== undefined) return yield* uploading(arrived > last ? whole(known) : at(arrived))
      if (endings.has(status)) return yield* askIfOver(at(taken), account)
      yield* Effect.logInfo(`TikTok has not taken a chunk of a video yet: it answered ${status}`)
      return yield* uploading(at(taken), pause)
    }
    return Option.some(at(taken))
  })

  return { begin, transfer, uploading }
}
