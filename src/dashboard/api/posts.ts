import type { OnePost, PostPage } from "../../api/posts/postResponses.ts"
import { isBlank } from "../../domain/plain/blankText.ts"
import { request, withQuery } from "./client.ts"
import type { Outcome } from "./errors.ts"
import type { PostJson } from "./postStatus.ts"
import { query, setData } from "./query.ts"

export type { PostJson, PostTargetJson } from "./postStatus.ts"

export type OnePostJson = typeof OnePost.Encoded

export interface PostFilters {
  readonly status?: PostJson["status"] | undefined
  readonly tag?: string | undefined
  readonly platform?: string | undefined
  readonly created_by?: string | undefined
  readonly text?: string | undefined
  readonly scheduled_from?: string | undefined
  readonly scheduled_to?: string | undefined
  readonly approval?: "requested" | undefined
  readonly time?: "none" | undefined
  readonly sort?: "created_at" | "scheduled_at" | undefined
  readonly order?: "asc" | "desc" | undefined
  readonly limit?: number | undefined
}

export const postPage = (filters: PostFilters) => query<typeof PostPage.Encoded>(withQuery("/v1/posts", { ...filters }))

/** Loads only a few, because each is a whole post. */
export const waitingPosts = postPage({ approval: "requested", limit: 20 })

export const onePost = (id: string) => query<typeof OnePost.Encoded>(`/v1/posts/${encodeURIComponent(id)}`)

export const rereadPost = async (id: string): Promise<Outcome<OnePostJson>> => {
  const current = onePost(id)
  const outcome = await request<OnePostJson>("GET", current.path)
  if (outcome.ok) setData(current, outcome.data)
  return outcome
}

const maxWords = 300

export const firstWords = ({ content, media }: PostJson): string => {
  const line = content.slice(0, maxWords).trim().replaceAll(/\s+/g, " ")
  return isBlank(line) ? (media.length > 0 ? "Media without text" : "No text yet") : line
}
