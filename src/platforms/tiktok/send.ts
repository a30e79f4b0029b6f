import { Duration, type DateTime, Option, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  Accepted,
  type NeedsReauthorization,
  OutcomeUnknown,
  type Publication,
  Unavailable,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import type { Answer, PlatformResponse } from "../call.ts"
import { unanswered, unansweredPost } from "../outcome.ts"
import type { Prepared, SendFailure } from "../PlatformClient.ts"
import { afterUnknown, end, fail, type FilePart, type OpenAccess, type Step } from "../steps.ts"
import { authorized, post } from "./api.ts"
import { contentRange, lastChunk } from "./chunks.ts"
import type { TiktokConfig } from "./config.ts"
import { explainFailure } from "./failure.ts"
import { readPost, takesBytes, type TiktokPost, type Upload } from "./prepared.ts"
import { answerOf, refusedIdly } from "./problem.ts"
import { publicationOf, stateIn } from "./state.ts"

type SendStep = Step<Publication, SendFailure | NeedsReauthorization>

/** The pause before TikTok is asked what became of a video. */
export const firstPause = Duration.seconds(10)

export const processing = (askAfter = firstPause) =>
  new Accepted({ message: "TikTok has this video, and is processing it", askAfter })

export const unconfirmed = "TikTok has not said yet if it got the whole video"

const open = (message: string) => new OutcomeUnknown({ message, askAfter: firstPause })

/** The person may publish it there at any time, so nobody else can tell if it is out. */
export const inInbox = () =>
  new OutcomeUnknown({
    message: "TikTok sent this video to the person's inbox, to be finished there",
    conclusive: true
  })

export const lookYourself = "look at the account's videos, drafts and inbox"

/** A new upload of a video that TikTok has could make a second post. */
const gone = ({ isWhole = false }: Upload, message: string): UploadsGone | OutcomeUnknown =>
  isWhole
    ? new OutcomeUnknown({
        message: `${message}, but it has said that it got all of it; ${lookYourself}`,
        conclusive: true
      })
    : new UploadsGone({ message })

const stateRequest = (config: TiktokConfig, { publishId }: Upload) =>
  post(config, "status/fetch", { publish_id: publishId })

/** An answer to a question about an upload that TikTok does not know, or knows as another account's. */
export const isUnknownUpload = (response: PlatformResponse): boolean =>
  ["invalid_publish_id", "token_not_authorized_for_specified_publish_id"].includes(answerOf(response)?.code ?? "")

/** The outcome by the state that TikTok tells after the last chunk was sent. */
const outcomeIn = (
  config: TiktokConfig,
  prepared: TiktokPost,
  { video }: Upload,
  answer: Answer
): Result.Result<Publication, Accepted | OutcomeUnknown> => {
  const state = Result.isSuccess(answer) ? Option.getOrUndefined(stateIn(answer.success, video.size)) : undefined
  switch (state?._tag) {
    case "Published":
      return Result.succeed(publicationOf(config, prepared, state.id))
    case "Working":
      return Result.fail(processing())
    case "Failed":
      return Result.fail(open(explainFailure(state.reason)))
    case "Inbox":
      return Result.fail(inInbox())
    default:
      return Result.fail(open(unconfirmed))
  }
}

/**
 * Sends the last chunk, which publishes the video, and asks what became of it. TikTok takes each chunk once, and
 * publishes an upload once, so that this can't make a second post.
 */
export const sendLastChunk = (
  config: TiktokConfig,
  prepared: TiktokPost,
  upload: Upload,
  access: OpenAccess
): SendStep => {
  const { url, video } = upload
  const { contentType, hash, size } = video
  const range = lastChunk(size)
  const body: FilePart = { hash, contentType, ...range }
  return {
    _tag: "Request",
    // Without a token: the address is secret.
    request: HttpClientRequest.put(url, { headers: { "content-range": contentRange(range, size) } }),
    body,
    through: "configured",
    shows: "post",
    next: (answer) => {
      const unsent = Result.isFailure(answer) ? unansweredPost(answer.failure) : undefined
      if (unsent?._tag === "Unavailable") return fail(unsent)
      // No answer to a chunk says that the video is published, and none that it never will be.
      return afterUnknown<Publication, SendFailure | NeedsReauthorization>(
        authorized<Publication, SendFailure>(access, stateRequest(config, upload), (told) =>
          end(outcomeIn(config, prepared, upload, told))
        ),
        ({ _tag }) => _tag === "Accepted" || _tag === "OutcomeUnknown"
      )
    }
  }
}

/** Asks before the last chunk is sent, so that it is not sent with access that has ended or for an upload that is. */
const begin = (config: TiktokConfig, prepared: TiktokPost, upload: Upload, access: OpenAccess): SendStep =>
  authorized<Publication, SendFailure | NeedsReauthorization>(
    access,
    stateRequest(config, upload),
    (answer, now, current) => {
      if (Result.isFailure(answer)) return fail(unanswered(answer.failure))
      const response = answer.success
      const state = Option.getOrUndefined(stateIn(response, upload.video.size))
      switch (state?._tag) {
        case "Uploading":
          return takesBytes(upload, now)
            ? sendLastChunk(config, prepared, upload, current)
            : fail(gone(upload, "The upload of this video to TikTok has ended"))
        case "Published":
          return end(Result.succeed(publicationOf(config, prepared, state.id)))
        case "Working":
          return fail(processing())
        case "Failed":
          return fail(new UploadsGone({ message: explainFailure(state.reason), isAbsent: true }))
        case "Inbox":
          return fail(inInbox())
        default:
          return fail(
            isUnknownUpload(response)
              ? gone(upload, "TikTok does not know the upload of this video any more")
              : readableRefusal(response, now)
          )
      }
    }
  )

export const readableRefusal = (response: PlatformResponse, now: DateTime.Utc) => {
  const error = refusedIdly(response, now)
  return error._tag === "Rejected" ? new Unavailable({ message: error.message }) : error
}

export const makeSend =
  (config: TiktokConfig) =>
  (prepared: Prepared, access: OpenAccess): SendStep => {
    const read = readPost.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const { upload } = read.success
    return upload === undefined
      ? fail(new UploadsGone({ message: "The post was prepared only to be looked for" }))
      : begin(config, read.success, upload, access)
  }
