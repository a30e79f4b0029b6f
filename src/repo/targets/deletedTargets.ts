import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { livePlatforms } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { liveFacts } from "../../platforms/facts.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Targets } from "./Targets.ts"

/**
 * Platforms that recognize a post by its text. On other platforms a post's key derives from its target, so no other
 * target can have that post.
 */
export const recognizedByText: ReadonlyArray<LivePlatform> = livePlatforms.filter(
  (platform) => liveFacts[platform].recognizedBy === "text"
)

/**
 * True if an unknown process may have sent target `t`: not if it fell due after a restore and was not changed since.
 * Drafts and failed posts have no due time.
 */
export const maybeSentUnknown = (sql: SqlClient.SqlClient) =>
  sql.literal(`(t.reconcile_from IS NOT NULL
    AND (t.reconcile_text IS NOT NULL OR coalesce(t.due_since < t.reconcile_until, true)))`)

const threadTexts = (post: string) => `ARRAY(
    SELECT coalesce(part #>> ARRAY['platform_overrides', t.platform], part ->> 'content', '')
    FROM jsonb_path_query(${post}.thread, '$[*]') part
    WHERE part -> 'platforms' ? t.platform OR coalesce(part -> 'platforms', 'null') = 'null')`

export const allTexts = (sql: SqlClient.SqlClient, prepared = "t.prepared ->> 'text'") =>
  sql.literal(`ARRAY[coalesce(${prepared}, p.platform_overrides ->> t.platform, p.content)]
    || CASE WHEN p.thread <> '[]' THEN ${threadTexts("p")} ELSE '{}' END`)

/** After a restore any part may be published, so all texts count. */
export const laterTexts = (sql: SqlClient.SqlClient, post = "p") =>
  sql.literal(
    `CASE WHEN ${post}.thread <> '[]' AND t.reconcile_from IS NOT NULL THEN ${threadTexts(post)} ELSE '{}' END`
  )

/**
 * Part of the statement that removes the posts; `removed` has their columns workspace_id, id, content,
 * platform_overrides and thread. A trigger keeps the published parts of threads.
 */
export const keepDeletedTargets = (sql: SqlClient.SqlClient, now: Date) => sql`
  INSERT INTO deleted_targets (id, part, workspace_id, platform, account_id, platform_post_id, texts, sent_until, deleted_at)
  SELECT t.id, t.part, t.workspace_id, t.platform, coalesce(t.account_id, i.account_id), t.platform_post_id,
    CASE WHEN t.platform_post_id IS NOT NULL THEN '{}' ELSE array_remove(ARRAY[t.reconcile_text,
      coalesce(t.prepared ->> 'text', removed.platform_overrides ->> t.platform, removed.content)], NULL)
      || ${laterTexts(sql, "removed")} END,
    CASE WHEN t.platform_post_id IS NULL THEN greatest(t.sent_at,
      CASE WHEN t.reconcile_from IS NOT NULL THEN coalesce(t.reconcile_until, ${now}::timestamptz) END) END,
    ${now}::timestamptz
  FROM removed
  JOIN post_targets t ON t.workspace_id = removed.workspace_id AND t.post_id = removed.id
  JOIN integrations i ON i.workspace_id = t.workspace_id AND i.id = t.integration_id
  WHERE t.platform = ANY(${recognizedByText}::text[]) AND (t.platform_post_id IS NOT NULL AND t.part_ids IS NULL
    -- A published post without a known id.
    OR t.platform_post_id IS NULL AND t.status = 'published' AND t.parts IS NULL AND t.sent_at IS NOT NULL
    OR t.status <> 'published' AND (t.sent_at IS NOT NULL OR ${maybeSentUnknown(sql)}))`

export const makeDeletedTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const sweep = SqlSchema.findAll({
    Request: Schema.Struct({ time: Timestamp, limit: Schema.Int }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ limit, time }) => sql`
      DELETE FROM deleted_targets WHERE id IN (
        SELECT id FROM deleted_targets WHERE deleted_at < ${time}::timestamptz
        ORDER BY deleted_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
      RETURNING id`
  })

  const forgetDeleted: Targets["forgetDeleted"] = Effect.fn("Repo.targets.forgetDeleted")((time, limit) =>
    sweep({ time, limit }).pipe(
      Effect.map((removed) => removed.length),
      withDatabaseTimeout("forgetting deleted targets")
    )
  )
  return { forgetDeleted } satisfies Pick<Targets, "forgetDeleted">
})
