import { DateTime, Duration, Effect, Option } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  type Accepted,
  Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Publication
} from "../../domain/publishing/platformError.ts"
import { carryOut, unwatched } from "../carryOut.ts"
import { isPast, openUntil } from "../openOutcome.ts"
import { failAt } from "../outcome.ts"
import type { Account, PlatformAdapter } from "../PlatformClient.ts"
import type { TiktokApi } from "./api.ts"
import type { TiktokConfig } from "./config.ts"
import { explainFailure, helpAfter } from "./failure.ts"
import { hasEnded, readPost, takesBytes, type TiktokPost, type Upload } from "./prepared.ts"
import { refusedIdly } from "./problem.ts"
import { firstPause, inInbox, isUnknownUpload, lookYourself, processing, sendLastChunk, unconfirmed } from "./send.ts"
import { publicationOf, stateIn, type UploadState } from "./state.ts"

/** The longest time for which TikTok processes a video, and for which it is asked what became of it. */
export const longestProcessing = Duration.hours(24)

/** TikTok may carry a request out this long after its answer was lost. Until then, missing bytes decide nothing. */
const longestRequest = Duration.minutes(5)

/** TikTok may not know a new upload yet. After this time, it has forgotten it. */
const longestUnknown = Duration.minutes(10)

/** Most videos are processed in a minute. */
const laterPause = Duration.minutes(2)

const open = (message: string) => new OutcomeUnknown({ message })
const forPerson = (message: string) => new OutcomeUnknown({ message, conclusive: true })

const working = (since: DateTime.Utc) =>
  Effect.flatMap(isPast(since, longestRequest), (isLate) => Effect.fail(processing(isLate ? laterPause : firstPause)))

/** Asks for an upload by its id. Nothing else on TikTok tells of a video that is not public. */
export const makeLooks = (
  config: TiktokConfig,
  api: TiktokApi
): Pick<PlatformAdapter, "reconcile" | "find"> & Required<Pick<PlatformAdapter, "findAddress">> => {
  const stateOf = Effect.fnUntraced(function* (
    { publishId, video }: Upload,
    account: Account,
    since: DateTime.Utc
  ): Effect.fn.Return<UploadState, PlatformError | DatabaseUnavailable> {
    const response = yield* api.ask(account, "status/fetch", { publish_id: publishId })
    const state = stateIn(response, video.size)
    if (Option.isSome(state)) return state.value
    if (isUnknownUpload(response)) {
      return yield* (yield* isPast(since, longestUnknown))
        ? forPerson(`TikTok does not know the upload of this video any more; ${lookYourself}`)
        : open("TikTok does not know the upload of this video yet")
    }
    return yield* failAt((now) => {
      const error = refusedIdly(response, now)
      return error._tag === "NeedsReauthorization" || error._tag === "RateLimited"
        ? error
        : open(`${unconfirmed}: ${error.message}`)
    })
  })

  /**
   * Sends the last chunk again, which TikTok takes once. Reading the credentials first checks that this process has its
   * leases and that the account is connected.
   */
  const repeat = Effect.fnUntraced(function* (prepared: TiktokPost, upload: Upload, account: Account) {
    const fenced = { ...unwatched, beforePost: Effect.asVoid(account.credentials.current) }
    return yield* carryOut(api, account, (access) => sendLastChunk(config, prepared, upload, access), fenced).pipe(
      Effect.catchTag(["DuplicateRefused", "Rejected", "TooEarly", "Unavailable", "UploadsGone"], ({ message }) =>
        Effect.fail(open(message))
      )
    )
  })

  const reconcile = Effect.fnUntraced(function* (
    prepared: TiktokPost,
    upload: Upload,
    account: Account,
    sentAt: DateTime.Utc
  ): Effect.fn.Return<Publication, PlatformError | Accepted | Dropped | DatabaseUnavailable> {
    const state = yield* stateOf(upload, account, sentAt)
    switch (state._tag) {
      case "Published":
        return publicationOf(config, prepared, state.id)
      case "Working":
        return yield* working(sentAt)
      case "Failed":
        return yield* new Dropped({ message: `${explainFailure(state.reason)}. ${helpAfter(state.reason)}` })
      case "Inbox":
        return yield* inInbox()
      case "Uploading": {
        const now = yield* DateTime.now
        if (takesBytes(upload, now)) return yield* repeat(prepared, upload, account)
        return yield* hasEnded(upload, now) && state.uploaded !== undefined
          ? new Dropped({ message: "TikTok did not get the whole video, so it can't publish it. Publish it again" })
          : open(unconfirmed)
      }
    }
  })

  return {
    reconcile: Effect.fn("Tiktok.reconcile")(function* (prepared, account, sentAt) {
      const read = yield* readPost.toReconcile(prepared, account)
      if (read.upload === undefined) return yield* forPerson(`TikTok can't say if this video is out; ${lookYourself}`)
      const keepOpen = openUntil(DateTime.addDuration(sentAt, longestProcessing), sentAt)
      return yield* keepOpen(reconcile(read, read.upload, account, sentAt))
    }),
    find: Effect.fn("Tiktok.find")(function* (prepared, account, since, until) {
      const read = yield* readPost.toReconcile(prepared, account)
      const { upload } = read
      if (upload === undefined) {
        return yield* forPerson(
          `TikTok finds no video by its text, so it can't say if this one is out; ${lookYourself}`
        )
      }
      const state = yield* stateOf(upload, account, until ?? since)
      switch (state._tag) {
        case "Published":
          return Option.some(publicationOf(config, read, state.id))
        case "Working":
          return yield* working(until ?? since)
        case "Failed":
          return Option.none()
        case "Inbox":
          return yield* inInbox()
        case "Uploading": {
          const isSettled = yield* isPast(until ?? since, longestRequest)
          return state.uploaded !== undefined && isSettled ? Option.none() : yield* open(unconfirmed)
        }
      }
    }),
    findAddress: Effect.fn("Tiktok.findAddress")(function* (prepared, account, publishedAt) {
      const read = yield* readPost.toReconcile(prepared, account)
      if (read.upload === undefined) return Option.none()
      const state = yield* stateOf(read.upload, account, publishedAt)
      return state._tag === "Published" && state.id !== null
        ? Option.some(publicationOf(config, read, state.id))
        : Option.none()
    })
  }
}
