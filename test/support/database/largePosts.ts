import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { GroupId, WorkspaceId } from "../../../src/domain/ids.ts"
import { inBulk } from "./manyAccounts.ts"

const firstIdeograph = 0x4e_00
const ideographs = 20_000

/** Ideographs have three bytes each in UTF-8, and random text hardly compresses. */
const randomText = (length: number, seed: number): string => {
  let state = seed
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCodePoint(firstIdeograph + (state % ideographs))
  }).join("")
}

export interface LargePosts {
  readonly workspaceId: WorkspaceId
  readonly count: number
  /** The number of tags of 768 bytes each, in addition to 30 kB of content. */
  readonly tags: number
  readonly groupId?: GroupId
}

/** The number of tags with which a post almost reaches the maximum size. */
export const mostTags = 44

/** The number of tags of a post of 107 kB, a size that earlier versions allowed. */
export const tagsOfOldPosts = 100

const texts = Array.from({ length: 10 }, (_, index) => randomText(10_000, index + 1))
const tags = Array.from({ length: tagsOfOldPosts }, (_, index) => randomText(256, index + 100))

/** Published, with a target on each platform. */
export const insertLargePosts = Effect.fn("insertLargePosts")(function* (posts: LargePosts) {
  const sql = yield* SqlClient.SqlClient
  yield* inBulk(sql`
    WITH added AS (
      INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, published_at, tags,
        platform_overrides, platform_settings, created_at)
      SELECT uuidv7(), ${posts.workspaceId}::uuid, ${posts.groupId ?? null}::uuid, 'published',
        (${texts}::text[])[1 + n % ${texts.length}::int], now(), now(), ${tags.slice(0, posts.tags)}::text[], '{}', '{}', now()
      FROM generate_series(1, ${posts.count}::int) n
      RETURNING id, workspace_id
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, published_at)
    SELECT gen_random_uuid(), added.workspace_id, added.id, i.id, i.platform, row_number() OVER (PARTITION BY added.id),
      'published', now()
    FROM added JOIN integrations i ON i.workspace_id = added.workspace_id`)
})
