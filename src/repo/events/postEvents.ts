import type { SqlClient } from "effect/sql"
import type { AuthorIds } from "../postgres/author.ts"
import { isoTime } from "../postgres/rows.ts"
import { lockFollowed, positionNow } from "./position.ts"

const stateOfPost = "jsonb_build_object('post_id', p.id, 'status', p.status, 'revision', p.revision)"
const timeOfPost = `jsonb_build_object('scheduled_at', ${isoTime("p.scheduled_at")})`

/** Reads the CTEs `post` (the posts' columns) and `requested` (the authors and event ids by post id). */
export const recordCreatedPosts = `recorded AS (
    INSERT INTO events (id, workspace_id, type, audience, data, post_id, by_key, created_at, position)
    SELECT r."eventId", p.workspace_id, 'post.scheduled', 'webhooks', ${stateOfPost} || ${timeOfPost},
      p.id, r."byKey", r."createdAt", CASE WHEN NOT r.followed THEN ${positionNow} + r.n END
    FROM post p JOIN requested r ON r.id = p.id
    WHERE p.status = 'scheduled'
  )`

const searchedEvents = 20

/** The details, without the previous text if the same person wrote it. */
const withoutOwnText = (sql: SqlClient.SqlClient, details: string, byUser: string | null) => sql`
  CASE WHEN ${details}::jsonb ? 'before' AND ${byUser}::uuid IS NOT DISTINCT FROM (
      SELECT CASE WHEN bool_or(changes_text) THEN (array_agg(e.by_user ORDER BY e.id DESC) FILTER (WHERE changes_text))[1]
        WHEN count(*) < ${searchedEvents}::int THEN old.created_by_user END
      FROM (SELECT id, by_user, coalesce(details -> 'changed' ?| '{content,platform_overrides}', false) AS changes_text
        FROM events WHERE workspace_id = p.workspace_id AND post_id = p.id ORDER BY id DESC LIMIT ${searchedEvents}::int) e)
    THEN ${details}::jsonb - 'before' ELSE ${details}::jsonb END`

/**
 * Reads the CTE `post`, which has the post's new columns. The table still shows the post before the change; with equal
 * status and revision, nothing changed. `details` are `EventDetails` as JSON.
 */
export const recordPostChange = (
  sql: SqlClient.SqlClient,
  eventId: string,
  now: Date,
  { byKey, byUser }: typeof AuthorIds.Encoded,
  details: string | null = null
) => sql`
  recorded AS (
    INSERT INTO events (id, workspace_id, type, audience, data, post_id, by_key, by_user, created_at, position, details)
    SELECT ${eventId}::uuid, p.workspace_id,
      CASE p.status WHEN 'scheduled' THEN 'post.scheduled' ELSE 'post.updated' END,
      CASE p.status WHEN 'scheduled' THEN 'webhooks' ELSE 'history' END,
      ${sql.literal(stateOfPost)} || CASE p.status WHEN 'scheduled' THEN ${sql.literal(timeOfPost)} ELSE '{}' END,
      p.id, ${byKey}::uuid, ${byUser}::uuid, ${now}::timestamptz, CASE WHEN p.status = 'scheduled' AND NOT w.followed THEN ${sql.literal(positionNow)} END,
      ${details === null ? sql.literal("NULL") : withoutOwnText(sql, details, byUser)}
    FROM post p LEFT JOIN posts old ON old.workspace_id = p.workspace_id AND old.id = p.id
      CROSS JOIN LATERAL (${lockFollowed(sql, sql`p.workspace_id`)}) w
    WHERE CASE WHEN old.id IS NULL THEN p.status = 'scheduled'
      ELSE p.status <> old.status OR p.revision <> old.revision END
  )`

/** Part of the statement that deletes. `removed` has the posts' columns. */
export const recordDeletedPosts = (
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<string>,
  eventIds: ReadonlyArray<string>,
  now: Date,
  { byKey, byUser }: typeof AuthorIds.Encoded
) => sql`
  recorded AS (
    INSERT INTO events (id, workspace_id, type, audience, data, post_id, by_key, by_user, created_at, position)
    SELECT deleted.event_id, removed.workspace_id, 'post.deleted', 'webhooks', jsonb_build_object('post_id', removed.id),
      removed.id, ${byKey}::uuid, ${byUser}::uuid, ${now}::timestamptz, CASE WHEN NOT w.followed THEN ${sql.literal(positionNow)} + deleted.place END
    FROM removed JOIN unnest(${ids}::uuid[], ${eventIds}::uuid[]) WITH ORDINALITY AS deleted (id, event_id, place)
        ON deleted.id = removed.id
      CROSS JOIN LATERAL (${lockFollowed(sql, sql`removed.workspace_id`)}) w
  )`
