/** Parents before the tables that refer to them. */
export const savedTables = [
  "workspaces",
  "users",
  "members",
  "api_keys",
  "queues",
  "outlooks",
  "integrations",
  "media_store",
  "media",
  "posts",
  "post_approvals",
  "post_media",
  "post_targets",
  // Decides when a target that waits for its upload is due.
  "post_target_uploads",
  "address_looks",
  "deleted_targets",
  "notifications",
  "notification_reads",
  "notification_preferences",
  "events",
  "webhooks",
  "webhook_deliveries",
  "channels",
  // A client that repeats a request after the restore gets the stored response instead of a second post.
  "idempotency_keys"
] as const

export type SavedTable = (typeof savedTables)[number]

export const omittedTables = {
  migrations: "the restoring service applies its own",
  processes: "a lease is of this database only",
  publishing_state: "restoring sets it",
  event_dispatch: "positions of events are times, so they go on",
  card_pictures: "found again from the posts that show them",
  rate_limits: "counts of the last minutes",
  sessions: "a session that was ended since would be valid again; people log in once more",
  authorisations: "connecting an account takes minutes",
  account_changes: "connecting an account takes minutes",
  invites: "one that was taken back or used since would be valid again",
  password_resets: "one that was used since would be valid again",
  avatars: "copies that are fetched again",
  notification_deliveries: "messages that were sent since would be sent again",
  file_links: "links last a day at most, and are made again"
}
