import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, InvalidState, NotFound } from "../../domain/errors.ts"
import { ChannelId, nextNotificationDeliveryId, NotificationDeliveryId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { MailStatus } from "../../domain/mail/mailDelivery.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

const Logged = {
  id: NotificationDeliveryId,
  type: Schema.String,
  count: Schema.Int,
  status: MailStatus,
  attempts: Schema.Int,
  error: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  nextAt: NullableTimestamp,
  endedAt: NullableTimestamp
}

const LoggedMail = Schema.Struct({ ...Logged, userId: UserId, email: Schema.String })
export type LoggedMail = typeof LoggedMail.Type

const LoggedChat = Schema.Struct(Logged)
export type LoggedChat = typeof LoggedChat.Type

export interface DeliveryLogQuery {
  readonly limit: number
  readonly status: MailStatus | null
  readonly before: NotificationDeliveryId | null
}

/** The messages by mail to the members of a workspace, or those to one of its channels. */
export interface DeliveryLog<A, Of> {
  /** Newest first. */
  readonly list: (of: Of, query: DeliveryLogQuery) => Effect.Effect<ReadonlyArray<A>, DatabaseUnavailable>
  /**
   * Queues a copy, because mail programs show a second message with the same Message-ID only once. Fails with
   * InvalidState while the delivery or such a copy is pending, or if its channel is disabled.
   */
  readonly resend: (
    of: Of,
    id: NotificationDeliveryId
  ) => Effect.Effect<A, NotFound | InvalidState | DatabaseUnavailable>
}

export interface OfChannel {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
}

export type MailLog = DeliveryLog<LoggedMail, WorkspaceId>
export type ChatLog = DeliveryLog<LoggedChat, OfChannel>

const unknown = new NotFound({ message: "There is no such delivery in this workspace" })
const stillPending = new InvalidState({ message: "This message waits to be sent already, or is sent again by itself" })
const disabled = new InvalidState({ message: "The channel is disabled; enable it first, or give it another URL" })

/** The messages by mail if `channelId` is null. */
const Of = Schema.Struct({ workspaceId: WorkspaceId, channelId: Schema.NullOr(ChannelId) })

const makeLog = Effect.fnUntraced(function* <A>(
  Row: Schema.ConstraintDecoder<A>,
  { columns, join }: { readonly columns: string; readonly join: string }
) {
  const sql = yield* SqlClient.SqlClient

  const all = sql.literal(`d.id, d.type, d.count, d.status, d.attempts, d.error, d.created_at AS "createdAt",
    d.next_at AS "nextAt", d.ended_at AS "endedAt"${columns}`)
  const joined = sql.literal(join)

  const isOf = ({ channelId, workspaceId }: (typeof Of)["Encoded"]) =>
    sql`workspace_id = ${workspaceId}::uuid AND ${
      channelId === null ? sql`channel_id IS NULL` : sql`channel_id = ${channelId}::uuid`
    }`

  const find = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Of.fields,
      limit: Schema.Int,
      status: Schema.NullOr(MailStatus),
      before: Schema.NullOr(NotificationDeliveryId)
    }),
    Result: Row,
    execute: ({ before, limit, status, ...of }) => sql`
      SELECT ${all} FROM (
        SELECT * FROM notification_deliveries WHERE ${sql.and([
          isOf(of),
          ...(status === null ? [] : [sql`status = ${status}`]),
          ...(before === null ? [] : [sql`id < ${before}::uuid`])
        ])} ORDER BY id DESC LIMIT ${limit}::int) d
      ${joined} ORDER BY d.id DESC`
  })

  const copy = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...Of.fields,
      id: NotificationDeliveryId,
      copyId: NotificationDeliveryId,
      now: Timestamp
    }),
    Result: Row,
    execute: ({ copyId, id, now, ...of }) => sql`
      WITH d AS (
        INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, channel_id, type, notification_ids, count,
          status, sealed, due_at, next_at, created_at)
        SELECT ${copyId}::uuid, workspace_id, kind, user_id, channel_id, type, notification_ids, count, 'pending', true,
          moment.now, moment.now, moment.now
        FROM notification_deliveries ended, (SELECT least(${now}::timestamptz, clock_timestamp()) AS now) moment
        WHERE ${isOf(of)} AND id = ${id}::uuid AND status <> 'pending' AND NOT EXISTS (
          SELECT FROM channels WHERE channels.id = channel_id AND disabled_reason IS NOT NULL)
          AND NOT EXISTS (SELECT FROM notification_deliveries copy WHERE copy.workspace_id = ended.workspace_id
            AND copy.status = 'pending' AND copy.type = ended.type AND copy.notification_ids = ended.notification_ids
            AND copy.user_id IS NOT DISTINCT FROM ended.user_id AND copy.channel_id IS NOT DISTINCT FROM ended.channel_id)
        RETURNING *
      )
      SELECT ${all} FROM d ${joined}`
  })

  const findState = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Of.fields, id: NotificationDeliveryId }),
    Result: Schema.Struct({ isDisabled: Schema.Boolean }),
    execute: ({ id, ...of }) => sql`
      SELECT EXISTS (SELECT FROM channels WHERE channels.id = channel_id AND disabled_reason IS NOT NULL) AS "isDisabled"
      FROM notification_deliveries WHERE ${isOf(of)} AND id = ${id}::uuid`
  })

  /** Lets one of several people send a message again, and then the next. */
  const lockMessage = (id: NotificationDeliveryId) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended('resend/' || ${id}::text, 0))`

  return {
    list: (of: typeof Of.Type, query: DeliveryLogQuery) =>
      find({ ...of, ...query }).pipe(withDatabaseTimeout("listing deliveries")),
    resend: (of: typeof Of.Type, id: NotificationDeliveryId) =>
      Effect.gen(function* () {
        const copyId = yield* nextNotificationDeliveryId
        yield* lockMessage(id)
        const queued = yield* copy({ ...of, id, copyId, now: yield* DateTime.now })
        if (Option.isSome(queued)) return queued.value
        const found = yield* findState({ ...of, id })
        if (Option.isNone(found)) return yield* unknown
        return yield* found.value.isDisabled ? disabled : stillPending
      }).pipe(sql.withTransaction, withDatabaseTimeout("sending a message again"))
  }
})

export const makeMailLog = Effect.map(
  makeLog(LoggedMail, { columns: `, d.user_id AS "userId", u.email`, join: "JOIN users u ON u.id = d.user_id" }),
  ({ list, resend }): MailLog => ({
    list: Effect.fn("Repo.mailLog.list")((workspaceId, query) => list({ workspaceId, channelId: null }, query)),
    resend: Effect.fn("Repo.mailLog.resend")((workspaceId, id) => resend({ workspaceId, channelId: null }, id))
  })
)

export const makeChatLog = Effect.map(makeLog(LoggedChat, { columns: "", join: "" }), ({ list, resend }): ChatLog => ({
  list: Effect.fn("Repo.chatLog.list")(list),
  resend: Effect.fn("Repo.chatLog.resend")(resend)
}))
