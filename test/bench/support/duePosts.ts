import { dueChannel } from "../../../src/repo/targets/dueChannel.ts"
import type { NewPosts } from "./newPosts.ts"
import { type Database, runSql } from "./database.ts"

/** The SQL literal of a text. */
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Stores scheduled posts for the service, and wakes its processes. Every workspace has one account. */
export const insertDuePosts = (database: Database, { accounts, count, firstDue, prefix, spacing }: NewPosts) =>
  runSql(
    database,
    `WITH accounts AS (
      SELECT row_number() OVER (ORDER BY id) - 1 AS n, workspace_id, id, account_id FROM integrations
    ), due AS (
      SELECT n, to_timestamp((${firstDue}::float8 + n * ${spacing}::float8) / 1000) AS at
      FROM generate_series(0, ${count} - 1) n
    ), added AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings,
        created_at)
      SELECT uuidv7(), a.workspace_id, 'scheduled', ${quote(prefix)} || ' ' || due.n, due.at, '{}', '{}', '{}', now()
      FROM due JOIN accounts a ON a.n = due.n % ${accounts}
      RETURNING id, workspace_id, scheduled_at
    ), targets AS (
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
        due_since, due_at)
      SELECT uuidv7(), added.workspace_id, added.id, a.id, a.account_id, 'twitter', 1, 'pending',
        added.scheduled_at, added.scheduled_at
      FROM added JOIN accounts a ON a.workspace_id = added.workspace_id
    )
    SELECT pg_notify('${dueChannel}', '')`
  )
