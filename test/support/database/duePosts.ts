import { Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { IntegrationId, PostId, TargetId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"

export const lease = Duration.minutes(3)

const decodePosts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ workspaceId: WorkspaceId, id: PostId, targetId: TargetId, account: IntegrationId }))
)

/** Inserts posts that fell due within the last hour. Returns them by due time. */
export const makeDuePosts = Effect.fn("makeDuePosts")(function* (
  accounts: number,
  postsPerAccount: number,
  platform: LivePlatform = "twitter"
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    WITH teams AS (
      INSERT INTO workspaces (id, name, created_at) SELECT gen_random_uuid(), 'A team', now()
      FROM generate_series(1, ${accounts}::int) RETURNING id
    ), accounts AS (
      INSERT INTO integrations (id, workspace_id, platform, account_id, username, status, credentials, created_at, updated_at)
      SELECT gen_random_uuid(), id, ${platform}, 'a', 'team', 'connected', 'x', now(), now() FROM teams
      RETURNING id, workspace_id
    ), due_posts AS (
      SELECT gen_random_uuid() AS id, gen_random_uuid() AS target_id, accounts.workspace_id, accounts.id AS account,
        now() - random() * interval '1 hour' AS due
      FROM accounts CROSS JOIN generate_series(1, ${postsPerAccount}::int)
    ), posts AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
      SELECT id, workspace_id, 'scheduled', 'Hello', due, '{}', '{}', '{}', now() FROM due_posts
    ), targets AS (
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
      SELECT target_id, workspace_id, id, account, ${platform}, 1, 'pending', due, due FROM due_posts
    )
    SELECT workspace_id AS "workspaceId", id, target_id AS "targetId", account FROM due_posts ORDER BY due`.pipe(
    Effect.flatMap(decodePosts)
  )
})

/** Deletes all posts and the records of deleted targets, so that the next test finds nothing due or on a timeline. */
export const deletePosts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql`DELETE FROM posts`, sql`DELETE FROM deleted_targets`)
)

/** Each run has its own connection. */
export const repeatConcurrently = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: times }, () => effect),
    { concurrency: times }
  )
