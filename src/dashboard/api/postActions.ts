import type { ApprovePost, RejectPost, ResolveTarget } from "../../api/posts/Approvals.ts"
import type { CopyPost, CreatePost, UpdatePost, ValidatePost } from "../../api/posts/postBodies.ts"
import type {
  CopiedPost,
  CreatedPost,
  DeletedPost,
  OnePost,
  ValidationResponse
} from "../../api/posts/postResponses.ts"
import type { SplitResponse, SplitText } from "../../api/posts/splitting.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { request } from "./client.ts"
import { type Failure, hasCode } from "./errors.ts"
import { withIntent } from "./idempotency.ts"
import type { PostJson } from "./posts.ts"

export type NewPostJson = typeof CreatePost.Encoded
export type PostPatchJson = typeof UpdatePost.Encoded
export type CopyJson = typeof CopyPost.Encoded
export type ValidationJson = (typeof ValidationResponse.Encoded)["data"]
export type SplitJson = (typeof SplitResponse.Encoded)["data"]
type LivePlatformName = typeof LivePlatform.Encoded

const pathOf = (id: string) => `/v1/posts/${encodeURIComponent(id)}`

export const isConflict = (error: Failure): boolean => hasCode(error, "revision_mismatch")

export const validatePost = (body: typeof ValidatePost.Encoded, signal: AbortSignal) =>
  request<typeof ValidationResponse.Encoded>("POST", "/v1/posts/validate", { body, signal, isRead: true })

export const splitText = (body: typeof SplitText.Encoded, signal: AbortSignal) =>
  request<typeof SplitResponse.Encoded>("POST", "/v1/posts/split", { body, signal, isRead: true })

export const createPost = (body: NewPostJson, idempotencyKey: string) =>
  request<typeof CreatedPost.Encoded>("POST", "/v1/posts", { body, idempotencyKey })

export const updatePost = (id: string, body: PostPatchJson, ifMatch: string) =>
  request<typeof OnePost.Encoded>("PATCH", pathOf(id), { body, ifMatch })

export const copyPost = (id: string, body: CopyJson) =>
  withIntent(["copy", id, body], (idempotencyKey) =>
    request<typeof CopiedPost.Encoded>("POST", `${pathOf(id)}/copy`, { body, idempotencyKey })
  )

/** A failed post is published only on platforms that do not have it yet. */
export const publishPost = (post: PostJson) => {
  const ifMatch = formatEtag(post)
  return withIntent(["publish", post.id, ifMatch], (idempotencyKey) =>
    request<typeof OnePost.Encoded>("POST", `${pathOf(post.id)}/publish`, { ifMatch, idempotencyKey })
  )
}

export const deleteRevision = (id: string, ifMatch: string) =>
  request<typeof DeletedPost.Encoded>("DELETE", pathOf(id), { ifMatch })

export const deletePost = (post: PostJson) => deleteRevision(post.id, formatEtag(post))

export const approvePost = (id: string, body: typeof ApprovePost.Encoded) =>
  withIntent(["approve", id, body], (idempotencyKey) =>
    request<typeof OnePost.Encoded>("POST", `${pathOf(id)}/approve`, { body, idempotencyKey })
  )

export const rejectPost = (id: string, body: typeof RejectPost.Encoded) =>
  request<typeof OnePost.Encoded>("POST", `${pathOf(id)}/reject`, { body })

/** Stores what a person found on the platform, if the outcome was unknown, and can publish again at once. */
export const resolveTarget = (post: PostJson, platform: LivePlatformName, body: typeof ResolveTarget.Encoded) =>
  withIntent(["resolve", post.id, post.revision, platform, body], (idempotencyKey) =>
    request<typeof OnePost.Encoded>("POST", `${pathOf(post.id)}/targets/${platform}/resolve`, { body, idempotencyKey })
  )
