import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { nextNotificationId, type NotificationId, type WorkspaceId } from "../../domain/ids.ts"
import { Notification, NotificationEvent } from "../../domain/notification.ts"
import type { SessionHolder } from "../../domain/session.ts"
import { orUnavailable } from "../postgres/query.ts"

export interface NewNotification {
  readonly title: string
  readonly message: string
  readonly actionUrl: string | null
  readonly event: NotificationEvent
}

export interface NotificationPage {
  readonly data: ReadonlyArray<Notification>
  readonly total: number
}

export interface NotificationQuery {
  readonly limit: number
  /** Only notifications older than this one. */
  readonly before: NotificationId | null
}

export interface Notifications {
  /** Part of the surrounding transaction, if there is one. */
  readonly add: (workspaceId: WorkspaceId, notification: NewNotification) => Effect.Effect<void, DatabaseUnavailable>
  /** Newest first, `read` once any member has read it; `page` counts from 0. */
  readonly page: (
    workspaceId: WorkspaceId,
    page: number,
    limit: number
  ) => Effect.Effect<NotificationPage, DatabaseUnavailable>
  /** Newest first, `read` once this member has read it. */
  readonly listFor: (
    member: SessionHolder,
    query: NotificationQuery
  ) => Effect.Effect<ReadonlyArray<Notification>, DatabaseUnavailable>
  /** Marks one as read by a member; again changes nothing. */
  readonly markRead: (
    member: SessionHolder,
    id: NotificationId
  ) => Effect.Effect<Notification, NotFound | DatabaseUnavailable>
  /** Marks all that a member has not read yet, and answers how many those were. */
  readonly markAllRead: (member: SessionHolder) => Effect.Effect<number, DatabaseUnavailable>
}

/** A page in one row: the notifications as JSON beside their count. */
const PageRow = Schema.Tuple([Schema.Struct({ data: Schema.Array(Notification), total: Schema.Int })])
const NotificationRow = Schema.Struct({ notification: Notification })
const CountRow = Schema.Struct({ updated: Schema.Int })

const encodeEvent = Schema.encodeSync(NotificationEvent)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(NotificationRow))

export const makeNotifications = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const add: Notifications["add"] = Effect.fn("Repo.notifications.add")(function* (workspaceId, notification) {
    const id = yield* nextNotificationId
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const { type, metadata } = encodeEvent(notification.event)
    yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, action_url, metadata, created_at)
      VALUES (${id}::uuid, ${workspaceId}::uuid, ${type}, ${notification.title}, ${notification.message},
        ${notification.actionUrl}::text, ${JSON.stringify(metadata)}::jsonb, ${now}::timestamptz)`.pipe(
      orUnavailable("adding a notification")
    )
  })

  const page: Notifications["page"] = Effect.fn("Repo.notifications.page")((workspaceId, index, limit) =>
    sql`SELECT (SELECT count(*)::int FROM notifications WHERE workspace_id = ${workspaceId}::uuid) AS total,
      coalesce((SELECT jsonb_agg(listed) FROM (
        SELECT n.id, n.title, n.message, n.type, n.action_url, n.metadata, n.created_at,
          EXISTS (SELECT FROM notification_reads r
            WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id) AS read
        FROM notifications n WHERE n.workspace_id = ${workspaceId}::uuid
        ORDER BY n.id DESC LIMIT ${limit}::int OFFSET ${index * limit}::bigint) listed), '[]') AS data`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(PageRow)),
      Effect.map(([row]) => row),
      orUnavailable("listing notifications")
    )
  )

  const listFor: Notifications["listFor"] = Effect.fn("Repo.notifications.listFor")((member, { limit, before }) =>
    sql`SELECT to_jsonb(listed) AS notification FROM (
        SELECT n.id, n.title, n.message, n.type, n.action_url, n.metadata, n.created_at,
          EXISTS (SELECT FROM notification_reads r WHERE r.workspace_id = n.workspace_id
            AND r.notification_id = n.id AND r.user_id = ${member.userId}::uuid) AS read
        FROM notifications n WHERE ${sql.and([
          sql`n.workspace_id = ${member.workspaceId}::uuid`,
          ...(before === null ? [] : [sql`n.id < ${before}::uuid`])
        ])} ORDER BY n.id DESC LIMIT ${limit}::int) listed`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map((rows) => rows.map((row) => row.notification)),
      orUnavailable("listing notifications")
    )
  )

  const markRead: Notifications["markRead"] = Effect.fn("Repo.notifications.markRead")(function* (member, id) {
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const [row] = yield* sql`WITH found AS (
        SELECT * FROM notifications WHERE workspace_id = ${member.workspaceId}::uuid AND id = ${id}::uuid
      ), marked AS (
        INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
        SELECT workspace_id, id, ${member.userId}::uuid, ${now}::timestamptz FROM found
        ON CONFLICT DO NOTHING
      )
      SELECT to_jsonb(listed) AS notification FROM (
        SELECT id, title, message, type, action_url, metadata, created_at, true AS read FROM found) listed`.pipe(
      Effect.flatMap(decodeRows),
      orUnavailable("marking a notification")
    )
    return row?.notification ?? (yield* new NotFound({ message: "There is no such notification in this workspace" }))
  })

  const writeAllRead = SqlSchema.findOne({
    Request: Schema.Struct({ userId: Schema.String, workspaceId: Schema.String, now: Schema.DateTimeUtcFromDate }),
    Result: CountRow,
    execute: ({ userId, workspaceId, now }) =>
      sql`WITH marked AS (
          INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
          SELECT n.workspace_id, n.id, ${userId}::uuid, ${now}::timestamptz FROM notifications n
          WHERE n.workspace_id = ${workspaceId}::uuid AND NOT EXISTS (SELECT FROM notification_reads r
            WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id AND r.user_id = ${userId}::uuid)
          ON CONFLICT DO NOTHING RETURNING notification_id
        )
        SELECT count(*)::int AS updated FROM marked`
  })

  const markAllRead: Notifications["markAllRead"] = Effect.fn("Repo.notifications.markAllRead")(function* (member) {
    const { updated } = yield* writeAllRead({ ...member, now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      orUnavailable("marking notifications")
    )
    return updated
  })

  return { add, page, listFor, markRead, markAllRead } satisfies Notifications
})
