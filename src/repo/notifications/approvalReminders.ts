import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { ApprovalReminder } from "../../domain/notification.ts"
import { isUndecided } from "../posts/undecided.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { lockTold } from "./lockTold.ts"

/** A request is repeated after this time. */
const patience = Duration.days(1)

/** A request is repeated this long before the post's time. */
const ahead = Duration.hours(2)

const quoted = 400

const WaitingPost = Schema.Struct({
  id: PostId,
  workspaceId: WorkspaceId,
  scheduledAt: NullableTimestamp,
  content: Schema.String,
  reminder: ApprovalReminder
})
export type WaitingPost = typeof WaitingPost.Type

export interface ApprovalReminders {
  /**
   * The posts whose approval people have to be reminded of. Joins the transaction that notifies them. Until it ends, no
   * other process is given posts.
   */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<WaitingPost>, DatabaseUnavailable>
}

export const makeApprovalReminders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A reminder is itself the post's last request. One that was asked for within the two hours is not repeated.
  const find = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, asked: Timestamp, soon: Timestamp, limit: Schema.Int }),
    Result: WaitingPost,
    execute: ({ asked, limit, now, soon }) => sql`
      SELECT p.id, p.workspace_id AS "workspaceId", p.scheduled_at AS "scheduledAt", left(p.content, ${quoted}) AS content,
        due.reminder
      FROM posts p CROSS JOIN LATERAL (
        SELECT n.created_at, n.metadata ->> 'reminder' AS reminder FROM notifications n
        WHERE n.workspace_id = p.workspace_id AND n.type = 'post.approval_requested'
          AND n.metadata ->> 'post_id' = p.id::text
        ORDER BY n.id DESC LIMIT 1) last
      CROSS JOIN LATERAL (SELECT CASE
        WHEN p.scheduled_at <= ${soon}::timestamptz
          AND last.created_at < p.scheduled_at - (${soon}::timestamptz - ${now}::timestamptz) THEN 'due'
        WHEN last.reminder IS NULL AND last.created_at <= ${asked}::timestamptz THEN 'waiting' END AS reminder) due
      WHERE p.status = 'draft' AND p.approval_requested_revision IS NOT NULL
        AND (p.scheduled_at IS NULL OR p.scheduled_at > ${now}::timestamptz)
        AND due.reminder IS NOT NULL AND ${sql.literal(isUndecided)}
      ORDER BY p.scheduled_at, p.id LIMIT ${limit}::int`
  })

  const take: ApprovalReminders["take"] = Effect.fn("Repo.approvalReminders.take")(function* (limit) {
    yield* lockTold(sql, "post.approval_requested")
    const now = yield* DateTime.now
    return yield* find({
      now,
      asked: DateTime.subtractDuration(now, patience),
      soon: DateTime.addDuration(now, ahead),
      limit
    })
  }, withDatabaseTimeout("finding posts that wait for approval"))

  return { take } satisfies ApprovalReminders
})
