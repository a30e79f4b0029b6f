export const mailModes = ["now", "digest", "off"] as const
export type MailMode = (typeof mailModes)[number]

/** The types of notifications that people can get by mail, what needs somebody first. */
export const mailTypes = [
  "post.failed",
  "integration.disconnected",
  "integration.expiring",
  "post.approval_requested",
  "post.draft_overdue",
  "outlook.checked",
  "publishing.held",
  "webhook.disabled",
  "channel.disabled",
  "post.unconfirmed",
  "post.published"
] as const
export type MailType = (typeof mailTypes)[number]

/** A channel gets these unless it chooses: what admins get by mail, which needs somebody. */
export const defaultChannelTypes: ReadonlyArray<MailType> = mailTypes.filter(
  (type) => type !== "post.unconfirmed" && type !== "post.published"
)

/** In words, as in “Mail about …”. */
export const mailTypeNames: Readonly<Record<MailType, string>> = {
  "post.failed": "posts that failed",
  "integration.disconnected": "accounts to connect again",
  "integration.expiring": "access to accounts that ends soon",
  "post.approval_requested": "posts that wait for approval",
  "post.draft_overdue": "drafts whose time has passed",
  "outlook.checked": "what is due until tomorrow night",
  "publishing.held": "publishing that is on hold",
  "webhook.disabled": "webhooks that were disabled",
  "channel.disabled": "channels that were disabled",
  "post.unconfirmed": "posts that a platform has not confirmed yet",
  "post.published": "posts that were published"
}

/** A mute ends after this many days at most. */
export const maxMuteDays = 90
