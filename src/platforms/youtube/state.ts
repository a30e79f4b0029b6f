import { Option, Schema } from "effect"
import type { HttpClientRequest } from "effect/http"
import { type PlatformResponse, readResponse } from "../call.ts"
import { platformDetail } from "../platformText.ts"
import { readFrom } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import type { UploadedPost } from "./prepared.ts"

const text = Schema.optionalKey(Schema.String)

const readVideos = readResponse(
  Schema.Struct({
    kind: Schema.Literal("youtube#videoListResponse"),
    items: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        snippet: Schema.Struct({ title: Schema.String }),
        status: Schema.Struct({
          uploadStatus: Schema.String,
          privacyStatus: Schema.String,
          failureReason: text,
          rejectionReason: text
        })
      })
    )
  })
)

export interface VideoState {
  readonly title: string
  readonly privacy: string
  readonly status: string
  /** The reason why nobody ever sees the video. */
  readonly failure: string | undefined
}

export const videoRequest = (
  config: Pick<YoutubeConfig, "apiUrl">,
  video: string
): HttpClientRequest.HttpClientRequest => readFrom(config, "/videos", { part: "snippet,status", id: video })

const unusable = new Set(["failed", "rejected", "deleted"])

/** "missing" if YouTube does not know the video. None if the response does not say. */
export const videoState = (video: string, response: PlatformResponse): Option.Option<VideoState | "missing"> =>
  response.status !== 200
    ? Option.none()
    : Option.flatMap(readVideos(response), ({ items }) => {
        const [found] = items
        if (found === undefined) return Option.some("missing" as const)
        if (found.id !== video || items.length > 1) return Option.none()
        const { snippet, status } = found
        const reason = status.failureReason ?? status.rejectionReason
        return Option.some({
          title: snippet.title,
          privacy: status.privacyStatus,
          status: status.uploadStatus,
          failure: unusable.has(status.uploadStatus)
            ? `${status.uploadStatus}${reason === undefined ? "" : `, ${platformDetail(reason)}`}`
            : undefined
        })
      })

/** The form in which titles are compared, because YouTube may change their white space. */
export const comparedText = (written: string): string => written.normalize("NFC").replaceAll(/\s+/g, " ").trim()

export type Phase =
  /** YouTube does not know the video. */
  | "missing"
  /** Nobody sees it, and nobody ever will. */
  | "unusable"
  /** It has its first title, so nothing has changed it yet. */
  | "hidden"
  /** It is as the post says. */
  | "out"
  /** It is neither as it was uploaded nor as the post says. It may have been out. */
  | "changed"

/**
 * Judges a post's video. Its first title tells that nothing was carried out. An owner may give another title to a video
 * that others see, which is out then.
 */
export const phaseOf = (
  { key, privacy, title }: Pick<UploadedPost, "key" | "privacy" | "title">,
  state: VideoState | "missing"
): Phase => {
  if (state === "missing") return "missing"
  if (state.failure !== undefined) return "unusable"
  if (state.title === key) return "hidden"
  const isNamed = comparedText(state.title) === comparedText(title)
  return state.privacy === privacy && (isNamed || privacy !== "private") ? "out" : "changed"
}
