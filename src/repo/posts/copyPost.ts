import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaId, nextPostId, PostId } from "../../domain/ids.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { namedFiles } from "../../domain/media/mediaPlan.ts"
import { Platform } from "../../domain/platform.ts"
import { StoredOverrides } from "../../domain/posts/platformSettings.ts"
import { Thread, threadMedia } from "../../domain/posts/thread.ts"
import { groupLeftOut } from "../../domain/posts/copyPlan.ts"
import { TargetError, TargetStatus } from "../../domain/posts/post.ts"
import { maxGroupPosts } from "../../domain/posts/postSize.ts"
import { AuthorIds, authorIds } from "../postgres/author.ts"
import { makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makePostMedia } from "./postMedia.ts"
import type { Posts } from "./Posts.ts"
import { connectedAccounts, makePostTargets, makeRequireConnected, NewTargets, newTargets } from "./postTargets.ts"
import { targetError } from "./postJson.ts"
import { PostKey } from "./rows.ts"
import { makeStoredPosts } from "./storedPosts.ts"

/**
 * The parent of a copy's target on the platform of `c`. A copy that continues a thread replies to the original's last
 * published part. Any other copy has the original's own parent, unless the original is published. The copy is sent from
 * the original's account.
 */
const repliedTo = (
  sql: SqlClient.SqlClient,
  { continues, id, workspaceId }: typeof PostKey.Encoded & { readonly continues: boolean }
) => sql`
          SELECT t.account_id, CASE WHEN ${continues}::boolean THEN jsonb_build_object(
            'root', coalesce(t.reply_to -> 'root', ${sql.literal(replied("t.parts -> 0"))}),
            'parent', ${sql.literal(replied("t.parts -> -1"))},
            'parentAt', t.parts -> -1 -> 'published_at') WHEN t.status <> 'published' THEN t.reply_to END AS to
          FROM post_targets t WHERE t.workspace_id = ${workspaceId}::uuid AND t.post_id = ${id}::uuid AND t.platform = c.platform`

const replied = (part: string) => `jsonb_build_object('platformPostId', ${part} -> 'id', 'cid', ${part} -> 'cid')`

export const makeCopyPost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { lock, show } = yield* makeStoredPosts
  const { whileAuthorized } = yield* makeAuthority
  const { lockMedia } = yield* makePostMedia
  const { lockAccounts } = yield* makePostTargets
  const requireConnected = yield* makeRequireConnected

  const findTargets = SqlSchema.findAll({
    Request: PostKey,
    Result: Schema.Struct({
      platform: Platform,
      status: TargetStatus,
      error: Schema.NullOr(TargetError),
      isSent: Schema.Boolean,
      isSearched: Schema.Boolean,
      part: Schema.Int,
      copiedTo: Schema.NullOr(PostId)
    }),
    execute: ({ id, workspaceId }) => sql`
      SELECT platform, status, sent_at IS NOT NULL AS "isSent", reconcile_from IS NOT NULL AS "isSearched", copied_to AS "copiedTo", part,
        ${sql.literal(targetError)} AS error
      FROM post_targets t WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid ORDER BY position`
  })

  // Values that only a later version knows are copied too. A statement that waited for the original's lock finds
  // another version of the original's row, and reads the targets again.
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      ...NewTargets.fields,
      ...AuthorIds.fields,
      copyId: PostId,
      content: Schema.String,
      overrides: Schema.fromJsonString(StoredOverrides),
      thread: Schema.fromJsonString(Thread),
      continues: Schema.Boolean,
      /** True if the copy begins at a later part, so its texts differ. */
      beginsLater: Schema.Boolean,
      media: Schema.fromJsonString(Schema.Array(PostMedia)),
      mediaIds: Schema.Array(MediaId),
      takesOver: Schema.Boolean,
      now: Timestamp
    }),
    Result: Schema.Struct({ connected: Schema.Array(Platform), leavesGroup: Schema.Boolean, takenOver: Schema.Int }),
    execute: (copied) => sql`
      WITH ${connectedAccounts(sql, copied)}, original AS (
        SELECT p.*, EXISTS (SELECT FROM posts other WHERE other.workspace_id = p.workspace_id AND other.group_id = p.group_id
          OFFSET ${maxGroupPosts - 1}::int LIMIT 1) AS leaves_group
        FROM posts p WHERE p.workspace_id = ${copied.workspaceId}::uuid AND p.id = ${copied.id}::uuid
          AND (SELECT count(*) FROM connected) = ${copied.platforms.length}::int
      ), post AS (
        INSERT INTO posts (id, workspace_id, group_id, status, content, tags, platform_overrides, platform_settings, media, thread,
          created_at, created_by_key, created_by_user, copied_from, reply_to)
        SELECT ${copied.copyId}::uuid, workspace_id, CASE WHEN NOT leaves_group THEN group_id END, 'draft', CASE WHEN ${copied.beginsLater}::boolean THEN ${copied.content} ELSE content END, tags,
          CASE WHEN ${copied.beginsLater}::boolean THEN ${copied.overrides}::jsonb ELSE platform_overrides END, platform_settings, ${copied.media}::jsonb, ${copied.thread}::jsonb, ${copied.now}::timestamptz, ${copied.byKey}::uuid,
          ${copied.byUser}::uuid, id, CASE WHEN ${copied.continues}::boolean THEN id WHEN status <> 'published' THEN reply_to END
        FROM original RETURNING workspace_id, id
      ), targets AS (
        INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status, reply_to)
        SELECT c.target_id, post.workspace_id, post.id, c.id,
          CASE WHEN replied.to IS NULL THEN c.account_id ELSE coalesce(replied.account_id, c.account_id) END,
          c.platform, c.position, 'pending', replied.to
        FROM connected c CROSS JOIN post LEFT JOIN LATERAL (${repliedTo(sql, copied)}) replied ON true
      ), files AS (
        INSERT INTO post_media (workspace_id, post_id, media_id, position)
        SELECT post.workspace_id, post.id, file.id, file.position
        FROM post CROSS JOIN unnest(${copied.mediaIds}::uuid[]) WITH ORDINALITY AS file(id, position)
      ), taken_over AS (
        UPDATE post_targets t SET copied_to = post.id FROM post
        WHERE ${copied.takesOver}::boolean AND t.workspace_id = ${copied.workspaceId}::uuid AND t.post_id = ${copied.id}::uuid
          AND t.platform = ANY(${copied.platforms}::text[]) AND t.status = 'failed' AND t.copied_to IS NULL
          AND t.sent_at IS NULL AND t.reconcile_from IS NULL
        RETURNING t.id
      ), touched AS (
        UPDATE posts p SET status = p.status FROM post
        WHERE ${copied.takesOver}::boolean AND p.workspace_id = ${copied.workspaceId}::uuid AND p.id = ${copied.id}::uuid
      )
      SELECT array(SELECT platform FROM connected) AS connected, (SELECT count(*)::int FROM taken_over) AS "takenOver",
        coalesce((SELECT leaves_group FROM original), false) AS "leavesGroup"`
  })

  const write = Effect.fnUntraced(function* <E>(
    key: PostKey,
    decide: Parameters<typeof copy<E>>[2],
    by: Parameters<typeof copy<E>>[3]
  ) {
    yield* lockAccounts(key)
    const post = yield* lock(key)
    // These targets can't change, because a change to a failed target locks its post first.
    const targets = yield* findTargets(key)
    const library = yield* lockMedia(key.workspaceId, namedFiles(threadMedia(post)))
    const plan = yield* Effect.fromResult(decide({ ...post, targets }, library))
    const { platforms, takesOver, warnings } = plan
    const copyId = yield* nextPostId
    const stored = yield* insert({
      ...key,
      ...(yield* newTargets(platforms)),
      ...authorIds(by.author),
      ...plan,
      beginsLater: plan.continues || plan.isShortened,
      copyId,
      mediaIds: namedFiles(threadMedia(plan)),
      now: yield* DateTime.now
    })
    yield* requireConnected(platforms, stored.connected)
    if (takesOver && stored.takenOver < platforms.length) {
      return yield* Effect.die("A failed target has changed under the lock of its post")
    }
    return {
      post: yield* show({ workspaceId: key.workspaceId, id: copyId }),
      warnings: [...warnings, ...(stored.leavesGroup ? [groupLeftOut] : [])]
    }
  })

  const copy: Posts["copy"] = (workspaceId, id, decide, by) =>
    whileAuthorized(by, write({ workspaceId, id }, decide, by)).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("copying a post"),
      Effect.withSpan("Repo.posts.copy")
    )
  return copy
})
