import { DateTime, Duration, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  type NeedsReauthorization,
  OutcomeUnknown,
  type Publication,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import { type Answer, type PlatformResponse, readResponse } from "../call.ts"
import { openSend } from "../openOutcome.ts"
import { foreignAnswer, unansweredPost } from "../outcome.ts"
import type { Prepared, SendFailure } from "../PlatformClient.ts"
import { afterUnknown, end, fail, type OpenAccess, type Step } from "../steps.ts"
import { authorized } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { isUploaded, readPost, type UploadedPost } from "./prepared.ts"
import { refusedUpdate } from "./problem.ts"
import { unchanged } from "./session.ts"
import { phaseOf, videoRequest, videoState } from "./state.ts"

type SendStep = Step<Publication, SendFailure | NeedsReauthorization>

type Address = Pick<YoutubeConfig, "apiUrl" | "webUrl">

/** YouTube may not find a video for some seconds. After this time, it is gone. */
const longestUnfound = Duration.minutes(3)

export const publicationOf = ({ webUrl }: Pick<YoutubeConfig, "webUrl">, video: string): Publication => ({
  platformPostId: video,
  url: `${webUrl}/watch?v=${video}`
})

/** Makes the video what the post says. YouTube replaces both parts as a whole, so that a repetition changes nothing. */
const updateRequest = (
  { apiUrl }: Pick<YoutubeConfig, "apiUrl">,
  { audience, privacy, tags, text, title, video }: UploadedPost
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.put(`${apiUrl}/youtube/v3/videos`, {
    acceptJson: true,
    urlParams: { part: "snippet,status" }
  }).pipe(
    HttpClientRequest.bodyJsonUnsafe({
      id: video,
      snippet: { ...unchanged.snippet, title, description: text, tags },
      status: { ...unchanged.status, privacyStatus: privacy, selfDeclaredMadeForKids: audience === "children" }
    })
  )

const readUpdated = readResponse(
  Schema.Struct({
    kind: Schema.Literal("youtube#video"),
    id: Schema.String,
    status: Schema.Struct({ privacyStatus: Schema.String })
  })
)

/** Reads the video as YouTube says that it is now. */
const updated = (
  response: PlatformResponse,
  { privacy, video }: UploadedPost,
  publication: Publication
): Result.Result<Publication, OutcomeUnknown> => {
  const read = Option.getOrUndefined(readUpdated(response))
  if (read?.id !== video) return Result.fail(foreignAnswer("YouTube", response))
  const { privacyStatus } = read.status
  return privacyStatus === privacy
    ? Result.succeed(publication)
    : Result.fail(
        new OutcomeUnknown({
          message: `YouTube took the title and the description, but keeps this video ${privacyStatus}. Look at it in YouTube Studio: ${publication.url}`,
          conclusive: true
        })
      )
}

/** Reads the state of a video after a change of it whose outcome is open. */
const settled = (config: Address, access: OpenAccess, post: UploadedPost, unknown: OutcomeUnknown): SendStep => {
  const { video } = post
  const isOut = (answer: Answer) =>
    Result.isSuccess(answer) &&
    Option.exists(videoState(video, answer.success), (state) => phaseOf(post, state) === "out")
  return afterUnknown<Publication, SendFailure>(
    authorized<Publication, SendFailure>(access, videoRequest(config, video), "nothing", (answer) =>
      isOut(answer) ? end(Result.succeed(publicationOf(config, video))) : fail(openSend(unknown))
    ),
    ({ _tag }) => _tag === "OutcomeUnknown"
  )
}

/** Makes a hidden video visible. */
export const publishVideo = (config: Address, post: UploadedPost, access: OpenAccess): SendStep => {
  const publication = publicationOf(config, post.video)
  return authorized<Publication, SendFailure>(access, updateRequest(config, post), "post", (answer, now, current) => {
    const result: Result.Result<Publication, SendFailure> = Result.isFailure(answer)
      ? Result.fail(unansweredPost(answer.failure))
      : answer.success.status === 200
        ? updated(answer.success, post, publication)
        : Result.fail(refusedUpdate(answer.success, now))
    if (Result.isSuccess(result)) return end(result)
    const error = result.failure
    if (error._tag === "OutcomeUnknown" && error.conclusive !== true) return settled(config, current, post, error)
    const isLost =
      error._tag === "TooEarly" && DateTime.isGreaterThan(now, DateTime.addDuration(post.madeAt, longestUnfound))
    return fail(isLost ? new UploadsGone({ message: error.message }) : error)
  })
}

export const makeSend =
  (config: Address) =>
  (prepared: Prepared, access: OpenAccess): SendStep => {
    const read = readPost.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    return isUploaded(read.success)
      ? publishVideo(config, read.success, access)
      : fail(new UploadsGone({ message: "The post was prepared only to be looked for" }))
  }
