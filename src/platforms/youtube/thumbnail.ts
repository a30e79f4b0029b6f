import { type DateTime, Effect, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { YoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { isUnknownVideo, problemOf, refusedIdly } from "./problem.ts"

const thumbnailRequest = (
  { apiUrl }: Pick<YoutubeConfig, "apiUrl">,
  video: string,
  bytes: Uint8Array,
  contentType: string
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`${apiUrl}/upload/youtube/v3/thumbnails/set`, {
    acceptJson: true,
    urlParams: { videoId: video, uploadType: "media" }
  }).pipe(HttpClientRequest.bodyUint8Array(bytes, contentType))

/** The video is uploaded and stays private, so that a person can help and publish the post again. */
const refused = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const error = refusedIdly(response, now)
  if (error._tag !== "Rejected") return error
  const detail = problemOf(response)?.detail ?? ""
  if (isUnknownVideo(response)) return new Unavailable({ message: `YouTube does not find the video yet: ${detail}` })
  const help =
    response.status === 403
      ? "Verify the channel's phone number at youtube.com/verify, and publish the post again"
      : "Copy the post with another thumbnail, or without one"
  return new Rejected({
    message: `YouTube refused the thumbnail, so the video was not made visible: ${detail}. ${help}`
  })
}

const lost = new Rejected({
  message:
    "The service does not keep the thumbnail of this post any more, so the video was not made visible. Copy the post to fetch the picture again"
})

/** Sets the thumbnail of a video that nobody sees yet. Setting it again changes nothing. */
export const setThumbnail = Effect.fn("Youtube.setThumbnail")(function* (
  config: YoutubeConfig,
  { ask }: YoutubeApi,
  account: AccountAccess,
  video: string,
  { thumbnail, thumbnail_url }: NonNullable<PlatformSettings["youtube"]>
): Effect.fn.Return<void, PlatformError | DatabaseUnavailable> {
  if (thumbnail_url === undefined) return
  if (thumbnail?.url !== thumbnail_url) return yield* lost
  const { content_type, hash } = thumbnail
  const parts = yield* Stream.runCollect(account.files.read(hash)).pipe(
    Effect.catchTag("Rejected", () => Effect.fail(lost))
  )
  const response = yield* ask(account, thumbnailRequest(config, video, Buffer.concat(parts), content_type))
  if (response.status !== 200 || problemOf(response) !== undefined) {
    return yield* failAt((now) => refused(response, now))
  }
})
