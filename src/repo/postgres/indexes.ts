/** An index that is built while the service runs, because its table may have millions of rows. */
export interface ConcurrentIndex {
  readonly name: string
  /** What follows the name in `CREATE INDEX`. A changed definition needs another name. */
  readonly definition: string
  /** A unique index is a rule that the code relies on, so a start waits for it. Others only make statements faster. */
  readonly unique: boolean
}

/**
 * The period in which a time lies, as SQL. Few periods are over at any time, so that what is due is found by period and account,
 * without a look at the targets that fall due later.
 */
export const duePeriod = (time: string): string =>
  `date_bin('10 minutes', ${time}, '2000-01-01 00:00:00+00'::timestamptz)`

/**
 * A join that makes PostgreSQL expect a thousand times the rows, so that it reads an index in the order that is asked for and
 * sorts nothing, whatever its statistics say.
 */
export const inIndexOrder = "CROSS JOIN generate_series(1, (SELECT 1)) once"

/** The hashes of the pictures of the cards of a thread's parts, as SQL: a JSON array. */
export const partPictures = (thread: string): string => `jsonb_path_query_array(${thread}, '$[*].card.thumb.hash')`

/** The index of the accounts that have pending targets in each period. */
export const dueAccountsIndex = "post_targets_due_accounts"

/**
 * The SQL condition of a pending target whose thread has begun: a part of it is out, or its first part may be. `IS
 * TRUE` keeps the planner from every index but the one of begun threads.
 */
export const hasBegun = "(status = 'pending' AND (part > 1 OR begun_at IS NOT NULL AND sent_at IS NOT NULL)) IS TRUE"

/** The index of the threads that have begun. */
export const begunThreadsIndex = "post_targets_begun_threads"

/** The indexes that no migration creates. */
export const indexes: ReadonlyArray<ConcurrentIndex> = [
  {
    name: "post_targets_by_platform_post",
    definition:
      "ON post_targets (integration_id, platform_post_id) WHERE platform = 'twitter' AND platform_post_id IS NOT NULL",
    unique: false
  },
  {
    name: dueAccountsIndex,
    // Accounts follow each other by a hash, so that a search can begin at a random one: their ids grow with time.
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
    // Only threads have an entry.
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
    // What a copy has taken over, which may be of another post than the one that was copied.
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
    // Those that wait are the last ones in the index above, after all that was published.
    name: "posts_by_status_and_time",
    definition:
      "ON posts (workspace_id, status, scheduled_at, id) WHERE status <> 'published' AND scheduled_at IS NOT NULL",
    unique: false
  },
  {
    name: "posts_by_approval",
    definition: "ON posts (workspace_id, id) WHERE status = 'draft' AND approval_requested_revision IS NOT NULL",
    unique: false
  },
  {
    // Drafts whose time has passed, in any workspace, until their people were told.
    name: "posts_to_tell_overdue",
    definition: `ON posts (scheduled_at)
      WHERE status = 'draft' AND scheduled_at IS NOT NULL AND overdue_told_at IS DISTINCT FROM scheduled_at`,
    unique: false
  },
  {
    name: "posts_by_tag",
    // Each entry's list of posts is sorted, so that those of a tag and of a workspace have their intersection found quickly. With
    // fast updates an insertion now and then would wait for the entries of all before it.
    definition:
      "ON posts USING gin (array_append(tags, workspace_id::text)) WITH (fastupdate = off) WHERE tags <> '{}'",
    unique: false
  },
  {
    // Whether a card still needs its picture.
    name: "posts_by_card_picture",
    definition: "ON posts (workspace_id, (card #>> '{thumb,hash}')) WHERE card #>> '{thumb,hash}' IS NOT NULL",
    unique: false
  },
  {
    // The same of the parts of threads.
    name: "posts_by_part_picture",
    definition: `ON posts USING gin ((${partPictures("thread")})) WITH (fastupdate = off) WHERE thread <> '[]'`,
    unique: false
  },
  {
    // Whether approval was requested again.
    name: "notifications_of_requests",
    definition: "ON notifications (workspace_id, (metadata ->> 'post_id'), id) WHERE type = 'post.approval_requested'",
    unique: false
  },
  {
    name: "notifications_of_attention",
    definition: "ON notifications (workspace_id, id) WHERE type <> 'post.published'",
    unique: false
  },
  {
    // The other types are so frequent that a page of them is found without an index.
    name: "events_by_rare_type",
    definition: `ON events (workspace_id, type, position)
      WHERE position IS NOT NULL AND type NOT IN ('post.scheduled', 'post.published', 'post.target.published')`,
    unique: false
  },
  {
    // What a key did, among all that happened since. What people and the service did has no entry. By its type an event is left
    // out without reading it, where a key did much else.
    name: "events_of_key",
    definition: "ON events (workspace_id, by_key, position, type) WHERE position IS NOT NULL AND by_key IS NOT NULL",
    unique: false
  }
]
