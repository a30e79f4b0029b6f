import * as sample from "../samples.ts"

const at = "2030-01-31T09:00:01.120Z"
const post = { post_id: sample.postId } as const
const account = { integration_id: sample.integrationId, platform: sample.platform } as const
const published = { platform: sample.platform, status: "published", url: sample.postUrl, error_code: null } as const
const failed = { platform: sample.otherPlatform, status: "failed", url: null, error_code: "rejected" } as const

const postExample = <const Type extends string, const Data extends object>(type: Type, data: Data) => ({
  type,
  timestamp: at,
  data: { ...post, ...data }
})

export const eventExamples = {
  "post.scheduled": postExample("post.scheduled", {
    status: "scheduled",
    revision: 2,
    scheduled_at: "2030-01-31T09:00:00.000Z"
  }),
  "post.published": postExample("post.published", { status: "published", targets: [published] }),
  "post.failed": postExample("post.failed", { status: "failed", targets: [published, failed] }),
  "post.target.published": postExample("post.target.published", {
    ...account,
    status: "published",
    url: sample.postUrl
  }),
  "post.target.failed": postExample("post.target.failed", {
    ...account,
    status: "failed",
    error_code: "rejected",
    retryable: false
  }),
  "post.approval_requested": postExample("post.approval_requested", { scheduled_at: "2030-01-31T09:00:00.000Z" }),
  "post.approved": postExample("post.approved", { revision: 2 }),
  "post.rejected": postExample("post.rejected", { revision: 2 }),
  "post.deleted": postExample("post.deleted", {}),
  "integration.connected": {
    type: "integration.connected",
    timestamp: at,
    data: { ...account, status: "connected" }
  },
  "integration.disconnected": {
    type: "integration.disconnected",
    timestamp: at,
    data: { ...account, status: "needs_reconnect" }
  },
  "webhook.test": { type: "webhook.test", timestamp: at, data: { webhook_id: sample.webhookId } },
  "post.updated": postExample("post.updated", { status: "draft", revision: 3 }),
  "post.target.retried": postExample("post.target.retried", {
    ...account,
    status: "pending",
    attempt: 1,
    error_code: "unavailable",
    retry_at: "2030-01-31T09:00:31.000Z"
  }),
  "post.target.part_published": postExample("post.target.part_published", {
    ...account,
    status: "pending",
    part: 1,
    url: sample.postUrl
  }),
  "post.example": postExample("post.example", {})
} as const
