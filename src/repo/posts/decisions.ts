import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Author } from "../../domain/people/actor.ts"
import { EventId, nextEventId } from "../../domain/ids.ts"
import { PlatformOverrides } from "../../domain/posts/platformSettings.ts"
import { isSubmitted } from "../../domain/posts/approval.ts"
import { Thread } from "../../domain/posts/thread.ts"
import type { StoredPost } from "../../domain/posts/postPlan.ts"
import { AuthorIds, authorIds } from "../postgres/author.ts"
import { Timestamp } from "../postgres/rows.ts"
import { PostKey } from "./rows.ts"

const Decision = Schema.Struct({
  ...PostKey.fields,
  status: Schema.Literals(["approved", "rejected"]),
  /** The revision as read. `revision` is the new revision. */
  before: Schema.Int,
  revision: Schema.Int,
  ...AuthorIds.fields,
  reason: Schema.NullOr(Schema.String),
  content: Schema.String,
  overrides: Schema.fromJsonString(PlatformOverrides),
  thread: Schema.fromJsonString(Thread),
  /** True to store nothing if the request was already decided. */
  onlyOpen: Schema.Boolean,
  eventId: EventId,
  now: Timestamp
})

interface Decided extends Pick<typeof Decision.Type, "status" | "revision" | "content" | "overrides" | "thread"> {
  readonly reason?: string
  readonly onlyOpen?: boolean
}

export const makeDecisions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Approvals older than the last approval before `revision`. */
  const outdated = (revision: number, { id, workspaceId }: typeof PostKey.Encoded) => sql`
    workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid AND revision < (SELECT max(revision) FROM post_approvals
      WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid AND revision < ${revision}::int)`

  const storeDecision = SqlSchema.void({
    Request: Decision,
    execute: (decision) => sql`
      WITH former AS (
        -- The version before stores a request without its text, as the post's revision alone.
        SELECT a.requested_at, coalesce(a.status, 'requested') AS status FROM posts p
        LEFT JOIN post_approvals a ON a.workspace_id = p.workspace_id AND a.post_id = p.id
          AND a.revision = p.approval_requested_revision
        WHERE p.workspace_id = ${decision.workspaceId}::uuid AND p.id = ${decision.id}::uuid
      ), post AS (
        UPDATE posts SET approval_requested_revision = ${decision.revision}::int
        WHERE workspace_id = ${decision.workspaceId}::uuid AND id = ${decision.id}::uuid
          AND (NOT ${decision.onlyOpen}::boolean OR (SELECT status = 'requested' FROM former))
        RETURNING workspace_id, id
      ), removed AS (
        DELETE FROM post_approvals WHERE EXISTS (SELECT FROM post) AND (${outdated(decision.before, decision)}
          OR workspace_id = ${decision.workspaceId}::uuid AND post_id = ${decision.id}::uuid
            AND revision = ${decision.before}::int AND revision <> ${decision.revision}::int)
      ), decided AS (
        INSERT INTO post_approvals (workspace_id, post_id, revision, status, requested_at, content, platform_overrides, thread,
          decided_at, decided_by_key, decided_by_user, reason)
        SELECT workspace_id, id, ${decision.revision}::int, ${decision.status}, coalesce((SELECT requested_at FROM former), ${decision.now}::timestamptz),
          ${decision.content}, ${decision.overrides}::jsonb, ${decision.thread}::jsonb, ${decision.now}::timestamptz, ${decision.byKey}::uuid, ${decision.byUser}::uuid, ${decision.reason} FROM post
        ON CONFLICT (workspace_id, post_id, revision) DO UPDATE SET status = excluded.status, reason = excluded.reason,
          decided_at = excluded.decided_at, decided_by_key = excluded.decided_by_key, decided_by_user = excluded.decided_by_user
      )
      INSERT INTO events (id, workspace_id, type, audience, data, post_id, by_key, by_user, created_at, details)
      SELECT ${decision.eventId}::uuid, workspace_id, 'post.' || ${decision.status}::text, 'webhooks',
        jsonb_build_object('post_id', id, 'revision', ${decision.revision}::int), id, ${decision.byKey}::uuid, ${decision.byUser}::uuid, ${decision.now}::timestamptz,
        CASE WHEN ${decision.reason}::text IS NOT NULL THEN jsonb_build_object('reason', ${decision.reason}::text) END FROM post`
  })

  const recordDecision = Effect.fnUntraced(function* (
    key: PostKey,
    before: StoredPost,
    decision: Decided,
    by: Author | undefined
  ) {
    yield* storeDecision({
      reason: null,
      onlyOpen: false,
      ...decision,
      ...key,
      before: before.revision,
      ...authorIds(by),
      eventId: yield* nextEventId,
      now: yield* DateTime.now
    })
  })

  /** Scheduling or publishing a submitted draft approves the request. */
  const approveByScheduling = (
    key: PostKey,
    before: StoredPost,
    after: Omit<Decided, "status">,
    by: Author | undefined
  ) =>
    isSubmitted(before)
      ? recordDecision(key, before, { ...after, status: "approved", onlyOpen: true }, by)
      : Effect.void

  return { outdated, recordDecision, approveByScheduling }
})
