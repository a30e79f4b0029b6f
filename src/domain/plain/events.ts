export const webhookEventTypes = [
  "post.scheduled",
  "post.published",
  "post.failed",
  "post.target.published",
  "post.target.failed",
  "post.approval_requested",
  "post.approved",
  "post.rejected",
  "post.deleted",
  "integration.connected",
  "integration.disconnected"
] as const
