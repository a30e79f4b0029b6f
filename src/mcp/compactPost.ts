import { Schema, Struct } from "effect"
import { Instant } from "../domain/instant.ts"
import { formatEtag, postStatuses } from "../domain/plain/posts.ts"
import { type Post, type PostTarget, TargetStatus } from "../domain/posts/post.ts"
import { PostId } from "../domain/ids.ts"
import { excerptOf } from "./bounds.ts"

export const truncated = Schema.optionalKey(Schema.Literal(true)).annotateKey({
  description: "Texts are cut where they end in …"
})

export const etagResult = Schema.String.annotateKey({
  description: "The version of the post that this result shows, needed to change, delete or publish it."
})

export const dashboardUrl = Schema.String.annotateKey({ description: "The post's page, for people." })

export const postUrl = (baseUrl: string, id: PostId): string => `${baseUrl}/posts/${id}`

export const unquoted = (etag: string): string => etag.replaceAll('"', "")

const etagOf = (post: Pick<Post, "revision" | "status">): string => unquoted(formatEtag(post))

/** Without the contract's descriptions, which every result's schema would repeat. */
const CompactTarget = Schema.Struct({
  platform: Schema.String,
  status: Schema.Literals(TargetStatus.literals),
  url: Schema.NullOr(Schema.String).annotateKey({ description: "The post on the platform; null until it is there." }),
  error_code: Schema.NullOr(Schema.String).annotateKey({
    description: "Why it failed or waits; null without an error."
  }),
  error_message: Schema.NullOr(Schema.String).annotateKey({ description: "The error as the platform put it." })
}).annotate({ identifier: "Target" })

const compactTarget = ({ error, integrations, platform_post_url, status }: PostTarget) => ({
  platform: integrations.platform,
  status,
  url: platform_post_url,
  error_code: error?.code ?? null,
  error_message: error === null ? null : excerptOf(error.message, 280)
})

export const postHead = {
  id: PostId,
  status: Schema.Literals(postStatuses).annotateKey({
    description: "`failed`: finished, and at least one platform failed."
  }),
  scheduled_at: Schema.NullOr(Instant),
  etag: etagResult,
  platforms: Schema.Array(CompactTarget),
  created_by: Schema.NullOr(Schema.Struct({ type: Schema.Literals(["key", "user"]), name: Schema.String })).annotateKey(
    { description: "Who wrote it; null if that was not recorded." }
  ),
  approval: Schema.NullOr(Schema.Literals(["requested", "outdated", "approved", "rejected"])).annotateKey({
    description: "`requested`: a person has to decide. `outdated`: changed since; ask again."
  }),
  dashboard_url: dashboardUrl
}

const approvalOf = ({ approval }: Post): (typeof postHead.approval)["Type"] => {
  if (approval === null) return null
  if (!approval.outdated) return approval.status
  return approval.status === "requested" ? "outdated" : null
}

export const headOf = (post: Post, baseUrl: string) => ({
  id: post.id,
  status: post.status,
  scheduled_at: post.scheduled_at,
  etag: etagOf(post),
  platforms: post.post_targets.map(compactTarget),
  created_by: post.created_by === null ? null : { type: post.created_by.type, name: post.created_by.name },
  approval: approvalOf(post),
  dashboard_url: postUrl(baseUrl, post.id)
})

export const CompactPost = Schema.Struct({
  ...postHead,
  excerpt: Schema.String.annotateKey({ description: "The beginning of the text." }),
  thread_parts: Schema.Int.annotateKey({ description: "Parts that follow the text; 0 without a thread." })
}).annotate({ identifier: "PostSummary" })

/** The schemas in lists of tools show only these fields of a post, except that of list_posts. */
export const listedHead = Struct.pick(postHead, ["id", "status", "scheduled_at", "etag", "approval"])

const excerptLength = 280

export const compactPost = (post: Post, baseUrl: string): typeof CompactPost.Type => ({
  ...headOf(post, baseUrl),
  excerpt: excerptOf(post.content, excerptLength),
  thread_parts: post.thread.length
})
