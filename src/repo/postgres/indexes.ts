import { livePlatforms } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { liveFacts } from "../../platforms/facts.ts"

/** Built while the service runs, because its table may have millions of rows. */
export interface ConcurrentIndex {
  readonly name: string
  /** A changed definition needs another name. */
  readonly definition: string
  /** A unique index is a rule that the code relies on, so a start waits for it. */
  readonly unique: boolean
}

/**
 * The ten-minute period of a due time. Few periods are past at any time, so a search by period and account finds due
 * targets without reading later ones.
 */
export const duePeriod = (time: string): string =>
  `date_bin('10 minutes', ${time}, '2000-01-01 00:00:00+00'::timestamptz)`

/** Makes PostgreSQL expect a thousand times the rows, so that it reads an index in order and sorts nothing. */
export const inIndexOrder = "CROSS JOIN generate_series(1, (SELECT 1)) once"

export const partPictures = (thread: string): string => `jsonb_path_query_array(${thread}, '$[*].card.thumb.hash')`

/** The kept pictures of all platforms' settings. */
export const settingPictures = (settings: string): string => `jsonb_path_query_array(${settings}, '$.*.*.hash')`

export const hasSettingPictures = (settings: string): string => `jsonb_path_exists(${settings}, '$.*.*.hash')`

export const dueAccountsIndex = "post_targets_due_accounts"

/**
 * True if a pending target's thread has begun: a part is published, or the first may be. `IS TRUE` keeps the planner
 * from other indexes.
 */
export const hasBegun = "(status = 'pending' AND (part > 1 OR begun_at IS NOT NULL AND sent_at IS NOT NULL)) IS TRUE"

export const begunThreadsIndex = "post_targets_begun_threads"

/** Both indexes of X's posts, for the other platforms that recognize a post by its text. */
const recognizedPosts = (platform: LivePlatform): ReadonlyArray<ConcurrentIndex> =>
  [
    { name: `post_targets_by_${platform}_post`, columns: "integration_id, platform_post_id" },
    { name: `post_targets_of_${platform}_post`, columns: "platform_post_id" }
  ].map(({ columns, name }) => ({
    name,
    definition: `ON post_targets (${columns}) WHERE platform = '${platform}' AND platform_post_id IS NOT NULL`,
    unique: false
  }))

export const indexes: ReadonlyArray<ConcurrentIndex> = [
  ...livePlatforms
    .filter((platform) => platform !== "twitter" && liveFacts[platform].recognizedBy === "text")
    .flatMap(recognizedPosts),
  {
    name: "post_targets_by_platform_post",
    definition:
      "ON post_targets (integration_id, platform_post_id) WHERE platform = 'twitter' AND platform_post_id IS NOT NULL",
    unique: false
  },
  {
    name: dueAccountsIndex,
    // Ordered by a hash, because a search begins at a random account, and ids grow with time.
    definition: `ON post_targets
      (platform, ${duePeriod("due_at")}, uuid_hash(integration_id), integration_id, due_at)
      WHERE status = 'pending' AND due_at IS NOT NULL`,
    unique: false
  },
  { name: begunThreadsIndex, definition: `ON post_targets (due_at) WHERE ${hasBegun}`, unique: false },
  {
    name: "post_targets_last_published",
    definition: "ON post_targets (integration_id, published_at) WHERE status = 'published'",
    unique: false
  },
  { name: "rate_limits_by_window", definition: "ON rate_limits (window_start)", unique: false },
  {
    name: "post_targets_of_platform_post",
    definition: "ON post_targets (platform_post_id) WHERE platform = 'twitter' AND platform_post_id IS NOT NULL",
    unique: false
  },
  {
    // The same for posts on Threads.
    name: "post_targets_of_threads_post",
    definition: "ON post_targets (platform_post_id) WHERE platform = 'threads' AND platform_post_id IS NOT NULL",
    unique: false
  },
  {
    // Threads of posts only.
    name: "post_targets_of_platform_part",
    definition: "ON post_targets USING gin (part_ids) WITH (fastupdate = off) WHERE part_ids IS NOT NULL",
    unique: false
  },
  {
    name: "post_targets_maybe_sent",
    definition:
      "ON post_targets (account_id) WHERE status <> 'published' AND (sent_at IS NOT NULL OR reconcile_from IS NOT NULL)",
    unique: false
  },
  {
    // Finds the post that a copy has taken over, which may not be the copied post.
    name: "post_targets_by_copy",
    definition: "ON post_targets (copied_to) WHERE copied_to IS NOT NULL",
    unique: false
  },
  {
    name: "posts_by_scheduled_time",
    definition: "ON posts (workspace_id, scheduled_at, id) WHERE scheduled_at IS NOT NULL",
    unique: false
  },
  {
    // In posts_by_scheduled_time, waiting posts come after all published posts.
    name: "posts_by_status_and_time",
    definition:
      "ON posts (workspace_id, status, scheduled_at, id) WHERE status <> 'published' AND scheduled_at IS NOT NULL",
    unique: false
  },
  {
    // A slot holds one post.
    name: "posts_by_slot",
    definition: "ON posts (workspace_id, slot_at) WHERE slot_at IS NOT NULL",
    unique: true
  },
  {
    name: "posts_by_approval",
    definition: "ON posts (workspace_id, id) WHERE status = 'draft' AND approval_requested_revision IS NOT NULL",
    unique: false
  },
  {
    // Overdue drafts that nobody was notified about.
    name: "posts_to_tell_overdue",
    definition: `ON posts (scheduled_at)
      WHERE status = 'draft' AND scheduled_at IS NOT NULL AND overdue_told_at IS DISTINCT FROM scheduled_at`,
    unique: false
  },
  {
    name: "posts_by_tag",
    // Each entry's list of posts is sorted, so a tag and a workspace intersect quickly. With fast updates some
    // insertions would wait for all earlier ones.
    definition:
      "ON posts USING gin (array_append(tags, workspace_id::text)) WITH (fastupdate = off) WHERE tags <> '{}'",
    unique: false
  },
  {
    // Tells if a card still needs its picture.
    name: "posts_by_card_picture",
    definition: "ON posts (workspace_id, (card #>> '{thumb,hash}')) WHERE card #>> '{thumb,hash}' IS NOT NULL",
    unique: false
  },
  {
    name: "posts_by_setting_picture",
    definition: `ON posts USING gin ((${settingPictures("platform_settings")})) WITH (fastupdate = off) WHERE ${hasSettingPictures("platform_settings")}`,
    unique: false
  },
  {
    name: "posts_by_part_picture",
    definition: `ON posts USING gin ((${partPictures("thread")})) WITH (fastupdate = off) WHERE thread <> '[]'`,
    unique: false
  },
  {
    // Tells if approval was requested again.
    name: "notifications_of_requests",
    definition: "ON notifications (workspace_id, (metadata ->> 'post_id'), id) WHERE type = 'post.approval_requested'",
    unique: false
  },
  {
    name: "notifications_awaiting_delivery",
    definition: "ON notifications (id) WHERE awaits_delivery",
    unique: false
  },
  {
    name: "notifications_of_attention",
    definition: "ON notifications (workspace_id, id) WHERE type <> 'post.published'",
    unique: false
  },
  {
    // The other types are frequent, so a page of them is found without an index.
    name: "events_by_rare_type",
    definition: `ON events (workspace_id, type, position)
      WHERE position IS NOT NULL AND type NOT IN ('post.scheduled', 'post.published', 'post.target.published')`,
    unique: false
  },
  {
    // Events of people and of the service have no entry. The type lets a search skip a busy key's other events unread.
    name: "events_of_key",
    definition: "ON events (workspace_id, by_key, position, type) WHERE position IS NOT NULL AND by_key IS NOT NULL",
    unique: false
  }
]
