import { Array as Arr, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { allTexts, laterTexts, maybeSentUnknown, recognizedByText } from "./deletedTargets.ts"
import { Claim, maxCompared, maxUnresolved, OtherVersions, type Targets } from "./Targets.ts"

const { accountId, platform, postId, targetId, workspaceId } = Claim.fields

/** An account's other targets, in all workspaces. Deleted targets still own their posts. */
export const makeOtherTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Not prepared: a plan from when the tables were small would read all of them. Uses the indexes
  // post_targets_of_platform_post and deleted_targets_by_platform_post.
  const findPublished = SqlSchema.findAll({
    Request: Schema.Struct({ accountId, platform, targetId, platformPostIds: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: (request) =>
      sql`
      SELECT t.platform_post_id AS id FROM post_targets t JOIN integrations i ON i.id = t.integration_id
      WHERE t.platform = ${request.platform} AND t.platform_post_id = ANY(${request.platformPostIds}::text[])
        AND coalesce(t.account_id, i.account_id) = ${request.accountId} AND t.id <> ${request.targetId}::uuid
      UNION ALL
      -- The parts of threads, including the claim's own.
      SELECT own.id FROM post_targets t CROSS JOIN unnest(t.part_ids) own (id)
      WHERE own.id = ANY(${request.platformPostIds}::text[]) AND t.platform = ${request.platform} AND t.part_ids && ${request.platformPostIds}::text[]
        AND t.account_id = ${request.accountId}
      UNION ALL
      SELECT platform_post_id FROM deleted_targets
      WHERE platform = ${request.platform} AND account_id = ${request.accountId}
        AND platform_post_id = ANY(${request.platformPostIds}::text[])`.unprepared
  })

  const findUnresolved = SqlSchema.findAll({
    Request: Schema.Struct({ accountId, platform, targetId, since: Timestamp }),
    Result: Schema.Struct({ texts: Schema.Array(Schema.String) }),
    // Uses the indexes post_targets_maybe_sent and deleted_targets_unresolved. Targets from the previous version belong
    // to the connected account.
    execute: (request) =>
      sql`
      SELECT texts FROM (
        SELECT array_remove(ARRAY[t.reconcile_text,
          coalesce(t.prepared ->> 'text', p.platform_overrides ->> t.platform, p.content)], NULL)
          || ${laterTexts(sql)} AS texts, t.sent_at AS at
        FROM post_targets t
        JOIN integrations i ON i.id = t.integration_id
        JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        WHERE t.status <> 'published' AND (t.sent_at IS NOT NULL OR t.reconcile_from IS NOT NULL)
          AND (t.account_id = ${request.accountId} OR t.account_id IS NULL AND i.account_id = ${request.accountId})
          AND t.platform = ${request.platform} AND t.id <> ${request.targetId}::uuid
          AND (t.sent_at >= ${request.since}::timestamptz AND t.prepared ->> 'text' IS NOT NULL
            OR ${maybeSentUnknown(sql)} AND coalesce(t.reconcile_until >= ${request.since}::timestamptz, true))
        UNION ALL
        SELECT array_remove(texts, NULL), sent_until FROM deleted_targets
        WHERE platform = ${request.platform} AND account_id = ${request.accountId}
          AND sent_until >= ${request.since}::timestamptz
        UNION ALL
        -- A target published without a known id owns a post that is found by its text.
        SELECT array_remove(ARRAY[l.prepared ->> 'text'], NULL), l.sent_at FROM address_looks l
        -- Looked up for each row, of which there are few.
        CROSS JOIN LATERAL (SELECT * FROM post_targets WHERE id = l.target_id OFFSET 0) t
        CROSS JOIN LATERAL (SELECT account_id FROM integrations WHERE id = t.integration_id OFFSET 0) i
        WHERE CASE WHEN t.parts IS NULL THEN t.platform_post_id ELSE t.parts -> (l.part - 1) ->> 'id' END IS NULL
          AND t.platform = ${request.platform} AND coalesce(t.account_id, i.account_id) = ${request.accountId} AND t.id <> ${request.targetId}::uuid
          AND l.sent_at >= ${request.since}::timestamptz
      ) unresolved ORDER BY at DESC NULLS LAST LIMIT ${maxUnresolved}::int`.unprepared
  })

  // X's ids grow with time and have one length, so the index post_targets_by_platform_post has the newest last.
  const findLastPublished = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId, accountId, platform, targetId }),
    Result: Schema.Struct({
      postId,
      publishedAt: Timestamp,
      texts: Schema.Array(Schema.String)
    }),
    execute: (request) =>
      sql`
      SELECT t.post_id AS "postId", t.published_at AS "publishedAt", ${allTexts(sql, "NULL")} AS texts
      FROM integrations i
      JOIN post_targets t ON t.integration_id = i.id
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE i.workspace_id = ${request.workspaceId}::uuid AND i.platform = ${request.platform}
        AND coalesce(t.account_id, i.account_id) = ${request.accountId} AND t.platform = ${request.platform}
        AND t.platform_post_id IS NOT NULL AND t.status = 'published' AND t.id <> ${request.targetId}::uuid
      ORDER BY t.platform_post_id DESC LIMIT ${maxCompared}::int`.unprepared
  })

  // Another version is found by a post's key. So only a target without a key waits, and no two targets wait for each
  // other. It also waits after a gap, without reconcile_until, because the database may have been restored unnoticed.
  const findOtherVersions = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId, postId, targetId }),
    Result: OtherVersions,
    execute: (request) => sql`
      SELECT min(other.platform) FILTER (WHERE other.other_version_at >= t.due_since) AS found,
        min(other.platform) FILTER (WHERE t.platform = ANY(${recognizedByText}::text[])
          AND other.platform <> ALL(${recognizedByText}::text[]) AND other.status IN ('pending', 'publishing')
          AND other.reconcile_from IS NOT NULL AND other.other_version_at IS NULL) AS awaited
      FROM post_targets t
      JOIN post_targets other ON other.workspace_id = t.workspace_id AND other.post_id = t.post_id AND other.id <> t.id
      WHERE t.id = ${request.targetId}::uuid AND t.workspace_id = ${request.workspaceId}::uuid
        AND t.post_id = ${request.postId}::uuid`
  })

  const publishedWithText: Targets["publishedWithText"] = Effect.fn("Repo.targets.publishedWithText")((claim) =>
    findLastPublished(claim).pipe(
      Effect.map((rows) => Arr.findFirst(rows, ({ texts }) => texts.some((text) => text.trim() === claim.text.trim()))),
      withDatabaseTimeout("finding a published post by its text")
    )
  )

  const publishedByOthers: Targets["publishedByOthers"] = Effect.fn("Repo.targets.publishedByOthers")(
    (claim, platformPostIds) =>
      findPublished({ ...claim, platformPostIds }).pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        withDatabaseTimeout("finding the published posts of other targets")
      )
  )

  const unresolvedOthers: Targets["unresolvedOthers"] = Effect.fn("Repo.targets.unresolvedOthers")((claim, since) =>
    findUnresolved({ ...claim, since }).pipe(
      Effect.map((rows) => rows.flatMap(({ texts }) => texts)),
      withDatabaseTimeout("finding unresolved targets")
    )
  )

  const otherVersions: Targets["otherVersions"] = Effect.fn("Repo.targets.otherVersions")((claim) =>
    findOtherVersions(claim).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.succeed({ found: null, awaited: null })),
      withDatabaseTimeout("finding other versions of a post")
    )
  )

  return { otherVersions, publishedByOthers, publishedWithText, unresolvedOthers } satisfies Pick<
    Targets,
    "otherVersions" | "publishedByOthers" | "publishedWithText" | "unresolvedOthers"
  >
})
