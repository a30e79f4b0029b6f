import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { NotificationDeliveryId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { digestType } from "../../domain/mail/mailPreferences.ts"
import type { MailType } from "../../domain/plain/mail.ts"
import { nextHour } from "../../domain/nextHour.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { Timestamp } from "../postgres/rows.ts"

const Waiting = Schema.Struct({
  id: NotificationDeliveryId,
  digestHour: Schema.Int,
  timeZone: Schema.NullOr(Schema.String)
})

const Retimed = Schema.Struct({ id: NotificationDeliveryId, dueAt: Schema.DateTimeUtcFromString })

/** Moves daily summaries that wait. Their time is computed when they begin. Runs in the caller's transaction. */
export const makeDigestTimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const isOpen = sql.literal(`d.kind = 'mail' AND d.type = '${digestType}' AND d.status = 'pending' AND NOT d.sealed`)

  // In the order in which a dispatch changes them.
  const findWaiting = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, userId: Schema.NullOr(UserId) }),
    Result: Waiting,
    execute: ({ userId, workspaceId }) => sql`
      SELECT d.id, m.digest_hour AS "digestHour", q.time_zone AS "timeZone"
      FROM notification_deliveries d JOIN members m ON m.user_id = d.user_id AND m.workspace_id = d.workspace_id
        LEFT JOIN queues q ON q.workspace_id = d.workspace_id
      WHERE d.workspace_id = ${workspaceId}::uuid AND ${isOpen}
        AND (${userId}::uuid IS NULL OR d.user_id = ${userId}::uuid)
      ORDER BY d.user_id FOR NO KEY UPDATE OF d`
  })

  const move = SqlSchema.void({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      retimed: Schema.fromJsonString(Schema.Array(Retimed)),
      now: Timestamp
    }),
    execute: ({ now, retimed, workspaceId }) => sql`
      UPDATE notification_deliveries d SET due_at = moved.at, next_at = moved.at
      FROM (SELECT r.id, ${onDatabaseClock(sql, sql.literal('r."dueAt"'), sql`${now}::timestamptz`)} AS at
        FROM jsonb_to_recordset(${retimed}::jsonb) AS r (id uuid, "dueAt" timestamptz)) moved
      WHERE d.workspace_id = ${workspaceId}::uuid AND d.id = moved.id AND ${isOpen}`
  })

  /** To the next time at which the clocks show the reader's hour: one reader's, or those of all members. */
  const followHour = Effect.fnUntraced(function* (workspaceId: WorkspaceId, userId: UserId | null) {
    const waiting = yield* findWaiting({ workspaceId, userId })
    if (waiting.length === 0) return
    const now = yield* DateTime.now
    const retimed = waiting.map(({ digestHour, id, timeZone }) => ({ id, dueAt: nextHour(now, digestHour, timeZone) }))
    yield* move({ workspaceId, retimed, now })
  })

  const hasten = SqlSchema.void({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      userId: UserId,
      types: Schema.fromJsonString(Schema.Array(Schema.String)),
      now: Timestamp
    }),
    execute: ({ now, types, userId, workspaceId }) => sql`
      UPDATE notification_deliveries d SET due_at = moment.now, next_at = moment.now
      FROM (SELECT least(${now}::timestamptz, clock_timestamp()) AS now) moment
      WHERE d.workspace_id = ${workspaceId}::uuid AND d.user_id = ${userId}::uuid AND ${isOpen}
        AND EXISTS (SELECT FROM notifications n
          WHERE n.id = ANY(d.notification_ids) AND ${types}::jsonb @> to_jsonb(n.type))`
  })

  /** To now, if one of the types is in the summary, because its reader wants them immediately. */
  const sendNow = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    userId: UserId,
    types: ReadonlyArray<MailType>
  ) {
    if (types.length > 0) yield* hasten({ workspaceId, userId, types, now: yield* DateTime.now })
  })

  return { followHour, sendNow }
})
