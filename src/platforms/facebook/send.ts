import { DateTime, Duration, Option, Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import {
  Accepted,
  type NeedsReauthorization,
  type OutcomeUnknown,
  type Publication,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import type { Answer } from "../call.ts"
import { openSend } from "../openOutcome.ts"
import { unansweredPost } from "../outcome.ts"
import type { Prepared, SendFailure } from "../PlatformClient.ts"
import { afterUnknown, end, fail, type OpenAccess, type Step } from "../steps.ts"
import { authorized, formTo, isDone } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { type Hidden, hiddenIn } from "./hidden.ts"
import { type FacebookPost, readPost } from "./prepared.ts"
import { refusedPublish } from "./problem.ts"
import { videoRequest, videoState } from "./state.ts"

type SendStep = Step<Publication, SendFailure | NeedsReauthorization>

/** Facebook may not find a new post. After this time, another one is made. */
const longestUnfound = Duration.minutes(3)

/** The time until Facebook is asked whether a reel is out. */
export const reelPause = Duration.seconds(15)

export const asReel = ({ webUrl }: Pick<FacebookConfig, "webUrl">, video: string): Publication => ({
  platformPostId: video,
  url: `${webUrl}/reel/${video}`
})

/** Reads the state of a post or video after a publication whose outcome is open. */
const settled = (
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  published: (answer: Answer) => Option.Option<Publication>,
  unknown: OutcomeUnknown
): SendStep =>
  afterUnknown<Publication, SendFailure>(
    authorized<Publication, SendFailure>(access, request, "nothing", (answer) =>
      end(Result.fromOption(published(answer), () => openSend(unknown)))
    ),
    ({ _tag }) => _tag === "OutcomeUnknown"
  )

/** Makes something visible. */
export const publishHidden = (
  { isOut, publication, question, request }: Hidden,
  { madeAt }: Pick<FacebookPost, "madeAt">,
  access: OpenAccess
): SendStep => {
  const published = (answer: Answer) =>
    Option.some(publication).pipe(
      Option.filter(() => Result.isSuccess(answer) && Option.getOrElse(isOut(answer.success), () => false))
    )
  return authorized<Publication, SendFailure>(access, request, "post", (answer, now, current) => {
    if (Result.isSuccess(answer) && isDone(answer.success)) return end(Result.succeed(publication))
    const error = Result.isSuccess(answer) ? refusedPublish(answer.success, now) : unansweredPost(answer.failure)
    if (error._tag === "OutcomeUnknown") return settled(current, question, published, error)
    const isLost =
      error._tag === "TooEarly" && DateTime.isGreaterThan(now, DateTime.addDuration(madeAt, longestUnfound))
    return fail(isLost ? new UploadsGone({ message: error.message }) : error)
  })
}

/** Publishes a reel once. Nobody knows if a second request would publish it again. */
const publishReel = (
  config: FacebookConfig,
  { accountId, text }: FacebookPost,
  video: string,
  access: OpenAccess
): SendStep => {
  const published = (answer: Answer) =>
    Option.some(asReel(config, video)).pipe(
      Option.filter(
        () =>
          Result.isSuccess(answer) &&
          Option.exists(videoState(video, answer.success), ({ _tag }) => _tag === "Published")
      )
    )
  const request = formTo(config, `/${accountId}/video_reels`, {
    upload_phase: "finish",
    video_id: video,
    video_state: "PUBLISHED",
    description: text
  })
  return authorized<Publication, SendFailure>(access, request, "post", (answer, now, current) => {
    if (Result.isSuccess(answer) && isDone(answer.success)) {
      return fail(new Accepted({ message: "Facebook is processing this reel", askAfter: reelPause }))
    }
    const error = Result.isSuccess(answer) ? refusedPublish(answer.success, now) : unansweredPost(answer.failure)
    if (error._tag === "OutcomeUnknown") return settled(current, videoRequest(config, video), published, error)
    return fail(error._tag === "TooEarly" ? new UploadsGone({ message: error.message }) : error)
  })
}

export const makeSend =
  (config: FacebookConfig) =>
  (prepared: Prepared, access: OpenAccess): SendStep => {
    const read = readPost.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const { video } = read.success
    if (video !== undefined) return publishReel(config, read.success, video, access)
    const hidden = hiddenIn(config, read.success)
    return hidden === undefined
      ? fail(new UploadsGone({ message: "The post was prepared only to be looked for" }))
      : publishHidden(hidden, read.success, access)
  }
