import type { NextSlot, OneQueue, OrderedPosts } from "../../api/posts/Queue.ts"
import type { Platform } from "../../domain/platform.ts"
import { request } from "./client.ts"
import { withIntent } from "./idempotency.ts"
import type { PostJson } from "./postStatus.ts"
import { query } from "./query.ts"

export type QueueJson = (typeof OneQueue.Encoded)["data"]
export type QueueEntryJson = QueueJson["entries"][number]

export const queue = query<typeof OneQueue.Encoded>("/v1/queue")

/** Without platforms, the next slot of any post. The slot of the post with this id is free for it. */
export const nextSlot = (platforms: ReadonlyArray<Platform>, postId?: string) => {
  const search = new URLSearchParams({
    ...(platforms.length > 0 && { platforms: platforms.join(",") }),
    ...(postId !== undefined && { post_id: postId })
  }).toString()
  return query<typeof NextSlot.Encoded>(`/v1/queue/next${search === "" ? "" : `?${search}`}`)
}

/** Gives the posts each other's times, in this order. */
export const orderPosts = (posts: ReadonlyArray<Pick<PostJson, "id" | "revision">>) => {
  const body = { posts: posts.map(({ id, revision }) => ({ id, revision })) }
  return withIntent(["order", body], (idempotencyKey) =>
    request<typeof OrderedPosts.Encoded>("PUT", "/v1/queue/order", { body, idempotencyKey })
  )
}

export const replaceQueue = (
  { revision }: Pick<QueueJson, "revision">,
  body: { readonly time_zone: string; readonly entries: ReadonlyArray<QueueEntryJson> }
) => request<typeof OneQueue.Encoded>("PUT", "/v1/queue", { body, ifMatch: `"${revision}"` })
