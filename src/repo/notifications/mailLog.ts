import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, InvalidState, NotFound } from "../../domain/errors.ts"
import { nextNotificationDeliveryId, NotificationDeliveryId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { MailStatus } from "../../domain/mail/mailDelivery.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

const LoggedMail = Schema.Struct({
  id: NotificationDeliveryId,
  userId: UserId,
  email: Schema.String,
  type: Schema.String,
  count: Schema.Int,
  status: MailStatus,
  attempts: Schema.Int,
  error: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  nextAt: NullableTimestamp,
  endedAt: NullableTimestamp
})
export type LoggedMail = typeof LoggedMail.Type

export interface MailLogQuery {
  readonly limit: number
  readonly status: MailStatus | null
  readonly before: NotificationDeliveryId | null
}

export interface MailLog {
  /** Newest first. */
  readonly list: (
    workspaceId: WorkspaceId,
    query: MailLogQuery
  ) => Effect.Effect<ReadonlyArray<LoggedMail>, DatabaseUnavailable>
  /**
   * Queues a copy, because mail programs show a second message with the same Message-ID only once. Fails with
   * InvalidState while the delivery is pending.
   */
  readonly resend: (
    workspaceId: WorkspaceId,
    id: NotificationDeliveryId
  ) => Effect.Effect<LoggedMail, NotFound | InvalidState | DatabaseUnavailable>
}

const unknown = new NotFound({ message: "There is no such delivery of mail in this workspace" })
const stillPending = new InvalidState({ message: "This message has not been given up; it is still sent by itself" })

export const makeMailLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const columns = sql.literal(`d.id, d.user_id AS "userId", u.email, d.type, d.count, d.status, d.attempts, d.error,
    d.created_at AS "createdAt", d.next_at AS "nextAt", d.ended_at AS "endedAt"`)

  const find = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      limit: Schema.Int,
      status: Schema.NullOr(MailStatus),
      before: Schema.NullOr(NotificationDeliveryId)
    }),
    Result: LoggedMail,
    execute: ({ before, limit, status, workspaceId }) => sql`
      SELECT ${columns} FROM (
        SELECT * FROM notification_deliveries WHERE ${sql.and([
          sql`workspace_id = ${workspaceId}::uuid AND kind = 'mail'`,
          ...(status === null ? [] : [sql`status = ${status}`]),
          ...(before === null ? [] : [sql`id < ${before}::uuid`])
        ])} ORDER BY id DESC LIMIT ${limit}::int) d
      JOIN users u ON u.id = d.user_id ORDER BY d.id DESC`
  })

  const list: MailLog["list"] = Effect.fn("Repo.mailLog.list")((workspaceId, query) =>
    find({ workspaceId, ...query }).pipe(withDatabaseTimeout("listing mail"))
  )

  const copy = SqlSchema.findOneOption({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      id: NotificationDeliveryId,
      copyId: NotificationDeliveryId,
      now: Timestamp
    }),
    Result: LoggedMail,
    execute: ({ copyId, id, now, workspaceId }) => sql`
      WITH d AS (
        INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, type, notification_ids, count, status, sealed,
          due_at, next_at, created_at)
        SELECT ${copyId}::uuid, workspace_id, kind, user_id, type, notification_ids, count, 'pending', true,
          moment.now, moment.now, moment.now
        FROM notification_deliveries, (SELECT least(${now}::timestamptz, clock_timestamp()) AS now) moment
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND kind = 'mail' AND status <> 'pending'
        RETURNING *
      )
      SELECT ${columns} FROM d JOIN users u ON u.id = d.user_id`
  })

  const findState = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: NotificationDeliveryId }),
    Result: Schema.Struct({ status: MailStatus }),
    execute: ({ id, workspaceId }) => sql`
      SELECT status FROM notification_deliveries WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  const resend: MailLog["resend"] = Effect.fn("Repo.mailLog.resend")((workspaceId, id) =>
    Effect.gen(function* () {
      const copyId = yield* nextNotificationDeliveryId
      const queued = yield* copy({ workspaceId, id, copyId, now: yield* DateTime.now })
      if (Option.isSome(queued)) return queued.value
      const found = yield* findState({ workspaceId, id })
      return yield* Option.isNone(found) ? unknown : stillPending
    }).pipe(withDatabaseTimeout("sending mail again"))
  )

  return { list, resend } satisfies MailLog
})
