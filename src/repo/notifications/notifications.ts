import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { nextNotificationId, NotificationId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { Notification, NotificationEvent } from "../../domain/notification.ts"
import type { SessionHolder } from "../../domain/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

export interface NewNotification {
  readonly title: string
  readonly message: string
  readonly actionUrl: string | null
  readonly event: NotificationEvent
}

/** A page in one row: its notifications as JSON, and the number of all of the workspace's notifications. */
const NotificationPage = Schema.Struct({ data: Schema.Array(Notification), total: Schema.Int })
export type NotificationPage = typeof NotificationPage.Type

export interface NotificationQuery {
  readonly limit: number
  /** Keyset pagination: only notifications older than this one. */
  readonly before: NotificationId | null
}

export interface Notifications {
  /** Joins the surrounding transaction, if there is one. */
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
  /** Marks a notification as read by a member; idempotent. */
  readonly markRead: (
    member: SessionHolder,
    id: NotificationId
  ) => Effect.Effect<Notification, NotFound | DatabaseUnavailable>
  /** Marks every notification that a member has not read, and returns how many those were. */
  readonly markAllRead: (member: SessionHolder) => Effect.Effect<number, DatabaseUnavailable>
}

const NotificationRow = Schema.Struct({ notification: Notification })

export const makeNotifications = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = SqlSchema.void({
    Request: Schema.Struct({
      id: NotificationId,
      workspaceId: WorkspaceId,
      title: Schema.String,
      message: Schema.String,
      actionUrl: Schema.NullOr(Schema.String),
      event: Schema.fromJsonString(NotificationEvent),
      createdAt: Timestamp
    }),
    execute: ({ actionUrl, createdAt, event, id, message, title, workspaceId }) => sql`
      INSERT INTO notifications (id, workspace_id, type, title, message, action_url, metadata, created_at)
      VALUES (${id}::uuid, ${workspaceId}::uuid, ${event}::jsonb ->> 'type', ${title}, ${message}, ${actionUrl}::text,
        ${event}::jsonb -> 'metadata', ${createdAt}::timestamptz)`
  })

  const add: Notifications["add"] = Effect.fn("Repo.notifications.add")(function* (workspaceId, notification) {
    const id = yield* nextNotificationId
    const createdAt = yield* DateTime.now
    yield* insert({ ...notification, workspaceId, id, createdAt }).pipe(withDatabaseTimeout("adding a notification"))
  })

  const findPage = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, offset: Schema.Int, limit: Schema.Int }),
    Result: NotificationPage,
    execute: ({ limit, offset, workspaceId }) => sql`
      SELECT (SELECT count(*)::int FROM notifications WHERE workspace_id = ${workspaceId}::uuid) AS total,
        coalesce((SELECT jsonb_agg(listed) FROM (
          SELECT n.id, n.title, n.message, n.type, n.action_url, n.metadata, n.created_at,
            EXISTS (SELECT FROM notification_reads r
              WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id) AS read
          FROM notifications n WHERE n.workspace_id = ${workspaceId}::uuid
          ORDER BY n.id DESC LIMIT ${limit}::int OFFSET ${offset}::bigint) listed), '[]') AS data`
  })

  const page: Notifications["page"] = Effect.fn("Repo.notifications.page")((workspaceId, index, limit) =>
    findPage({ workspaceId, offset: index * limit, limit }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("listing notifications")
    )
  )

  const findForMember = SqlSchema.findAll({
    Request: Schema.Struct({
      userId: UserId,
      workspaceId: WorkspaceId,
      limit: Schema.Int,
      before: Schema.NullOr(NotificationId)
    }),
    Result: NotificationRow,
    execute: ({ before, limit, userId, workspaceId }) => sql`
      SELECT to_jsonb(listed) AS notification FROM (
        SELECT n.id, n.title, n.message, n.type, n.action_url, n.metadata, n.created_at,
          EXISTS (SELECT FROM notification_reads r WHERE r.workspace_id = n.workspace_id
            AND r.notification_id = n.id AND r.user_id = ${userId}::uuid) AS read
        FROM notifications n WHERE ${sql.and([
          sql`n.workspace_id = ${workspaceId}::uuid`,
          ...(before === null ? [] : [sql`n.id < ${before}::uuid`])
        ])} ORDER BY n.id DESC LIMIT ${limit}::int) listed`
  })

  const listFor: Notifications["listFor"] = Effect.fn("Repo.notifications.listFor")((member, query) =>
    findForMember({ ...member, ...query }).pipe(
      Effect.map((rows) => rows.map((row) => row.notification)),
      withDatabaseTimeout("listing notifications")
    )
  )

  const insertRead = SqlSchema.findOne({
    Request: Schema.Struct({ userId: UserId, workspaceId: WorkspaceId, id: NotificationId, now: Timestamp }),
    Result: NotificationRow,
    execute: ({ id, now, userId, workspaceId }) => sql`
      WITH found AS (
        SELECT * FROM notifications WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
      ), marked AS (
        INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
        SELECT workspace_id, id, ${userId}::uuid, ${now}::timestamptz FROM found
        ON CONFLICT DO NOTHING
      )
      SELECT to_jsonb(listed) AS notification FROM (
        SELECT id, title, message, type, action_url, metadata, created_at, true AS read FROM found) listed`
  })

  const markRead: Notifications["markRead"] = Effect.fn("Repo.notifications.markRead")(function* (member, id) {
    const { notification } = yield* insertRead({ ...member, id, now: yield* DateTime.now }).pipe(
      Effect.catchTag(
        "NoSuchElementError",
        () => new NotFound({ message: "There is no such notification in this workspace" })
      ),
      withDatabaseTimeout("marking a notification")
    )
    return notification
  })

  const insertAllReads = SqlSchema.findOne({
    Request: Schema.Struct({ userId: UserId, workspaceId: WorkspaceId, now: Timestamp }),
    Result: Schema.Struct({ updated: Schema.Int }),
    execute: ({ now, userId, workspaceId }) => sql`
      WITH marked AS (
        INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
        SELECT n.workspace_id, n.id, ${userId}::uuid, ${now}::timestamptz FROM notifications n
        WHERE n.workspace_id = ${workspaceId}::uuid AND NOT EXISTS (SELECT FROM notification_reads r
          WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id AND r.user_id = ${userId}::uuid)
        ON CONFLICT DO NOTHING RETURNING notification_id
      )
      SELECT count(*)::int AS updated FROM marked`
  })

  const markAllRead: Notifications["markAllRead"] = Effect.fn("Repo.notifications.markAllRead")(function* (member) {
    const { updated } = yield* insertAllReads({ ...member, now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("marking notifications")
    )
    return updated
  })

  return { add, page, listFor, markRead, markAllRead } satisfies Notifications
})
