import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CreatorId, GroupId, PostId, smallestIdAt, type WorkspaceId } from "../../../src/domain/ids.ts"
import type { Platform } from "../../../src/domain/platform.ts"
import type { PostStatus } from "../../../src/domain/posts/post.ts"

/** The fields of a post that filters and orders use. */
export interface ListedPost {
  readonly id: PostId
  readonly status: PostStatus
  readonly groupId: GroupId | null
  readonly tags: ReadonlyArray<string>
  readonly platforms: ReadonlyArray<Platform>
  readonly scheduledAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly createdBy: CreatorId | null
  readonly content: string
  readonly overrides: Readonly<Record<string, string>>
  /**
   * The state of a requested approval of revision 2. `old`: requested by the previous version, which stores no row.
   * `void`: requested only for revision 1.
   */
  readonly approval: "requested" | "old" | "void" | "approved" | "rejected" | null
}

const firstTime = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
export const groups = ["a", "b"].map((name) => GroupId.make(`01a1fc17-dc2e-777d-ad63-00000000000${name}`))
export const tags = ["release", "Release", 'b,"{}', "日"]
export const creators = ["a", "b"].map((name) => CreatorId.make(`01a1fc17-dc2e-777d-ad63-0000000000c${name}`))
const contents = ["Hello", "HELLO 100%", "Straße", "Cafe\u0301 日本語"]
export const statuses = ["draft", "scheduled", "publishing", "published", "failed"] as const
export const platforms = ["twitter", "bluesky"] as const

export const after = (hours: number) => DateTime.addDuration(firstTime, Duration.hours(hours))

export const pick = <A>(random: () => number, values: ReadonlyArray<A>): A => {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error("Nothing to pick from")
  return value
}

const hex = (random: () => number) =>
  Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, "0")

/** A post within two days. Several posts have equal times, and some have ids from a clock that was ahead. */
const randomPost = (random: () => number): ListedPost => {
  const createdAt = after(Math.floor(random() * 48))
  const idTime = DateTime.addDuration(createdAt, Duration.minutes(random() < 0.2 ? 50 : 0))
  const status = pick(random, statuses)
  return {
    id: PostId.make(`${smallestIdAt(idTime).slice(0, -12)}${hex(random)}`),
    status,
    groupId: pick(random, [null, null, ...groups]),
    tags: tags.filter(() => random() < 0.3),
    platforms: platforms.filter(() => random() < 0.6),
    scheduledAt: status === "draft" && random() < 0.5 ? null : after(Math.floor(random() * 24)),
    createdAt,
    createdBy: pick(random, [null, ...creators]),
    content: pick(random, contents),
    overrides: random() < 0.3 ? { bluesky: pick(random, contents) } : {},
    approval: pick(random, [null, null, "requested", "old", "void", "approved", "rejected"])
  }
}

/** Inserts random posts into a workspace with accounts on all platforms. */
export const insertRandomPosts = Effect.fn("insertRandomPosts")(function* (
  workspaceId: WorkspaceId,
  random: () => number,
  count: number
) {
  const sql = yield* SqlClient.SqlClient
  const posts = Array.from({ length: count }, () => randomPost(random))
  const rows = posts.map(({ createdAt, createdBy, groupId, id, scheduledAt, status, ...lists }) => ({
    id,
    status,
    group_id: groupId,
    scheduled_at: scheduledAt === null ? null : DateTime.formatIso(scheduledAt),
    published_at: status === "published" ? DateTime.formatIso(createdAt) : null,
    created_at: DateTime.formatIso(createdAt),
    created_by: createdBy,
    ...lists
  }))
  yield* sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(id uuid, status text, group_id uuid,
        approval text, scheduled_at timestamptz, published_at timestamptz, created_at timestamptz, tags text[],
        platforms text[], created_by uuid, content text, overrides jsonb)
    ), added AS (
      INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, published_at, tags,
        platform_overrides, platform_settings, created_at, created_by_user, created_by_key, revision,
        approval_requested_revision)
      SELECT id, ${workspaceId}::uuid, group_id, status, content, scheduled_at, published_at, tags, overrides, '{}', created_at,
        CASE WHEN created_by = ${creators[0]}::uuid THEN created_by END,
        CASE WHEN created_by = ${creators[1]}::uuid THEN created_by END, 2, CASE WHEN approval = 'void' THEN 1 WHEN approval IS NOT NULL THEN 2 END
      FROM given
    ), approvals AS (
      INSERT INTO post_approvals (workspace_id, post_id, revision, status, requested_at, content, platform_overrides, decided_at)
      SELECT ${workspaceId}::uuid, given.id, decided.revision, decided.status, created_at, 'Hello', '{}',
        CASE WHEN decided.status <> 'requested' THEN created_at END
      FROM given CROSS JOIN LATERAL (VALUES (1, CASE approval WHEN 'void' THEN 'requested' ELSE 'rejected' END),
        (2, CASE WHEN approval NOT IN ('old', 'void') THEN approval END)) decided(revision, status)
      WHERE decided.status IS NOT NULL AND approval IS NOT NULL
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status)
    SELECT gen_random_uuid(), i.workspace_id, given.id, i.id, i.platform, 0, 'pending'
    FROM given JOIN integrations i ON i.workspace_id = ${workspaceId}::uuid AND i.platform = ANY(given.platforms)`
  return posts
})
