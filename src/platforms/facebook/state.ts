import { Option, Schema } from "effect"
import type { HttpClientRequest } from "effect/http"
import { type PlatformResponse, readResponse } from "../call.ts"
import { platformDetail } from "../platformText.ts"
import { readFrom } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { MetaId } from "../meta/syntax.ts"

/** The state of a post, of a reel's video, and of a video that is no reel. */

type Address = Pick<FacebookConfig, "apiUrl" | "version">

const own = (id: string) => id.slice(id.indexOf("_") + 1)

const readPost = readResponse(Schema.Struct({ id: Schema.String, is_published: Schema.Boolean }))

export const postRequest = (config: Address, post: string): HttpClientRequest.HttpClientRequest =>
  readFrom(config, `/${post}`, { fields: "id,is_published" })

/** True if the post is published. None if the response does not have the state of this post. */
export const isPublished = (post: string, response: PlatformResponse): Option.Option<boolean> =>
  response.status !== 200
    ? Option.none()
    : readPost(response).pipe(
        Option.filter(({ id }) => own(id) === own(post)),
        Option.map(({ is_published }) => is_published)
      )

const Phase = Schema.Struct({
  status: Schema.optionalKey(Schema.String),
  publish_status: Schema.optionalKey(Schema.Unknown),
  bytes_transferred: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
const phase = Schema.optionalKey(Phase)

const Status = Schema.Struct({
  video_status: Schema.optionalKey(Schema.String),
  uploading_phase: phase,
  processing_phase: phase,
  publishing_phase: phase
})

const readVideo = readResponse(Schema.Struct({ id: MetaId, status: Status }))

const readError = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))

/** The reason why Facebook can't use a video. Undefined if it has none so far. */
const failureIn = ({
  processing_phase,
  publishing_phase,
  uploading_phase,
  video_status = ""
}: typeof Status.Type): string | undefined => {
  const failed = [uploading_phase, processing_phase, publishing_phase].find((each) => each?.status === "error")
  if (failed === undefined && video_status !== "error" && video_status !== "expired") return undefined
  const error = readError(failed?.error)
  return Option.isSome(error) ? platformDetail(error.value.message) : video_status
}

/** In bytes. */
const isOffset = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

export type VideoState =
  /** Bytes are missing. */
  | { readonly _tag: "Uploading"; readonly offset: number }
  /** All bytes are there, and nothing was asked for after that. */
  | { readonly _tag: "Waiting" }
  /** Facebook is working on the reel. */
  | { readonly _tag: "Working" }
  | { readonly _tag: "Published" }
  | { readonly _tag: "Failed"; readonly reason: string }

export const videoRequest = (config: Address, video: string): HttpClientRequest.HttpClientRequest =>
  readFrom(config, `/${video}`, { fields: "id,status" })

/** None if the response does not have the state of this video. */
export const videoState = (video: string, response: PlatformResponse): Option.Option<VideoState> =>
  response.status !== 200
    ? Option.none()
    : readVideo(response).pipe(
        Option.filter(({ id }) => id === video),
        Option.map(({ status }): VideoState => {
          const { processing_phase = {}, publishing_phase = {}, uploading_phase = {}, video_status = "" } = status
          const { publish_status = "published", status: publishing = "not_started" } = publishing_phase
          if (publishing === "complete" && publish_status === "published") return { _tag: "Published" }
          const reason = failureIn(status)
          if (reason !== undefined) return { _tag: "Failed", reason }
          if (uploading_phase.status !== "complete") {
            const { bytes_transferred: offset } = uploading_phase
            return { _tag: "Uploading", offset: isOffset(offset) ? offset : 0 }
          }
          // All of it has to be said, because a video that waits for too long is deleted.
          const isWaiting =
            video_status === "upload_complete" &&
            processing_phase.status === "not_started" &&
            publishing_phase.status === "not_started"
          return { _tag: isWaiting ? "Waiting" : "Working" }
        })
      )

const readPageVideo = readResponse(
  Schema.Struct({ id: MetaId, published: Schema.Boolean, status: Schema.optionalKey(Status) })
)

export interface PageVideoState {
  readonly isPublished: boolean
  /** True once Facebook has begun to process the video, which it does after the upload's end. */
  readonly isTaken: boolean
  /** True if the video can be published, because all of it was processed. */
  readonly isReady: boolean
  /** The reason why Facebook can't use the video. */
  readonly failure: string | undefined
}

export const pageVideoRequest = (config: Address, video: string): HttpClientRequest.HttpClientRequest =>
  readFrom(config, `/${video}`, { fields: "id,published,status" })

/** None if the response does not have the state of this video. */
export const pageVideoState = (video: string, response: PlatformResponse): Option.Option<PageVideoState> =>
  response.status !== 200
    ? Option.none()
    : readPageVideo(response).pipe(
        Option.filter(({ id }) => id === video),
        Option.map(({ published, status = {} }) => ({
          isPublished: published,
          isTaken: ["in_progress", "complete"].includes(status.processing_phase?.status ?? ""),
          isReady: status.video_status === "ready",
          failure: failureIn(status)
        }))
      )
