import { Option } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { Publication } from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { formTo } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import type { FacebookPost } from "./prepared.ts"
import { isPublished, pageVideoRequest, pageVideoState, postRequest } from "./state.ts"

/**
 * Something that nobody sees, and that one request makes visible. Facebook answers a repetition of the request in the
 * same way, and makes no second post.
 */
export interface Hidden {
  readonly request: HttpClientRequest.HttpClientRequest
  /** Asks for its state. */
  readonly question: HttpClientRequest.HttpClientRequest
  /** None if the response does not have its state. */
  readonly isOut: (response: PlatformResponse) => Option.Option<boolean>
  /** Its address follows from the id, because losing a live post over a question for its address would be worse. */
  readonly publication: Publication
}

const hiddenPost = (config: FacebookConfig, post: string): Hidden => ({
  request: formTo(config, `/${post}`, { is_published: "true" }),
  question: postRequest(config, post),
  isOut: (response) => isPublished(post, response),
  publication: asPublication(config, post)
})

const hiddenVideo = (config: FacebookConfig, accountId: string, video: string): Hidden => ({
  request: formTo(config, `/${video}`, { published: "true" }),
  question: pageVideoRequest(config, video),
  isOut: (response) => Option.map(pageVideoState(video, response), (state) => state.isPublished),
  publication: asVideo(config, accountId, video)
})

export const asVideo = ({ webUrl }: Pick<FacebookConfig, "webUrl">, accountId: string, video: string): Publication => ({
  platformPostId: video,
  url: `${webUrl}/${accountId}/videos/${video}`
})

export const asPublication = ({ webUrl }: Pick<FacebookConfig, "webUrl">, post: string): Publication => ({
  platformPostId: post,
  url: `${webUrl}/${post}`
})

/** Undefined for a reel, and for a post that was prepared only to be looked for. */
export const hiddenIn = (
  config: FacebookConfig,
  { accountId, pageVideo, post }: Pick<FacebookPost, "accountId" | "pageVideo" | "post">
): Hidden | undefined => {
  if (post !== undefined) return hiddenPost(config, post)
  return pageVideo === undefined ? undefined : hiddenVideo(config, accountId, pageVideo)
}
