import type { NextSlot, OneQueue } from "../../api/posts/Queue.ts"
import type { Platform } from "../../domain/platform.ts"
import { request } from "./client.ts"
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

export const replaceQueue = (
  { revision }: Pick<QueueJson, "revision">,
  body: { readonly time_zone: string; readonly entries: ReadonlyArray<QueueEntryJson> }
) => request<typeof OneQueue.Encoded>("PUT", "/v1/queue", { body, ifMatch: `"${revision}"` })
