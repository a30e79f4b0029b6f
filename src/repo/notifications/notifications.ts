import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { type IntegrationId, NotificationId, smallestIdAt, UserId, WorkspaceId } from "../../domain/ids.ts"
import {
  maxUnreadSearched,
  Notification,
  type NotificationEvent,
  NotificationLevel,
  NotificationTexts
} from "../../domain/notification.ts"
import { Member } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeRemoveBefore } from "../removeBefore.ts"
import { NoDetails, UnreadableType } from "../spoiled.ts"
import { isMutedFor, isOfLevel, isSettled, levelOf } from "./notificationState.ts"

export interface NewNotification {
  readonly title: string
  readonly message: string
  readonly actionUrl: string | null
  readonly event: NotificationEvent
  /** If set, a recent unread notification about the same account can count this one. */
  readonly counted?: CountedNotification
}

export interface CountedNotification {
  readonly integrationId: IntegrationId
  /** `{count}` is replaced by the number counted. */
  readonly title: string
  readonly message: string
  readonly actionUrl: string
}

/** Unreadable metadata is left out, and the notification keeps its place in the list. */
const StoredNotification = Schema.Union([
  Notification,
  Schema.Struct({ ...NotificationTexts.fields, type: UnreadableType, metadata: NoDetails })
])

const NotificationPage = Schema.Struct({ data: Schema.Array(StoredNotification), total: Schema.Int })
export type NotificationPage = typeof NotificationPage.Type

export interface NotificationFilter {
  readonly level?: NotificationLevel | undefined
  /** Searches only the latest `maxUnreadSearched` notifications. */
  readonly unread?: boolean
}

export interface NotificationQuery extends NotificationFilter {
  readonly limit: number
  readonly before: NotificationId | null
}

export interface Notifications {
  /** Newest first. `read` once any member has read it. `page` counts from 0. */
  readonly page: (
    workspaceId: WorkspaceId,
    page: number,
    limit: number,
    filter?: NotificationFilter
  ) => Effect.Effect<NotificationPage, DatabaseUnavailable>
  /** Newest first. `read` once this member has read it. */
  readonly listFor: (
    member: Member,
    query: NotificationQuery
  ) => Effect.Effect<ReadonlyArray<Notification>, DatabaseUnavailable>
  /** Idempotent. */
  readonly markRead: (member: Member, id: NotificationId) => Effect.Effect<Notification, NotFound | DatabaseUnavailable>
  readonly markAllRead: (member: Member) => Effect.Effect<number, DatabaseUnavailable>
  /** In all workspaces. Returns the number deleted. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}

/** A notification can become visible this long after one with a later id. */
const longestTransaction = Duration.minutes(1)

const smallestId = "00000000-0000-0000-0000-000000000000"

const Filter = { level: Schema.UndefinedOr(NotificationLevel), unread: Schema.Boolean }

const NotificationRow = Schema.Struct({ notification: StoredNotification })

export const makeNotifications = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const listed = sql`n.id, n.title, n.message, n.type, ${levelOf(sql)} AS level, n.action_url, n.metadata, n.created_at`

  const ofWorkspace = (workspaceId: string, level: NotificationLevel | undefined) => [
    sql`n.workspace_id = ${workspaceId}::uuid`,
    ...(level === undefined ? [] : [isOfLevel(sql, level)])
  ]

  /** The notification up to which some member has marked all as read, or null. */
  const readBefore = (workspaceId: string) => sql`(SELECT notifications_read_before FROM members
    WHERE workspace_id = ${workspaceId}::uuid AND notifications_read_before IS NOT NULL
    ORDER BY notifications_read_before DESC LIMIT 1)`

  const isReadByAnyone = (workspaceId: string) => sql`(${isSettled(sql)}
    OR coalesce(n.id < ${readBefore(workspaceId)}, false)
    OR EXISTS (SELECT FROM notification_reads r WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id))`

  // Bounded, because finding the unread notifications takes long if people read few of many.
  const amongLatest = (workspaceId: string, level: NotificationLevel | undefined) =>
    sql`n.id >= coalesce((SELECT n.id FROM notifications n WHERE ${sql.and(ofWorkspace(workspaceId, level))}
      ORDER BY n.id DESC LIMIT 1 OFFSET ${maxUnreadSearched - 1}::int), ${smallestId}::uuid)`

  // The bounds are conditions of the index, so older notifications are not read.
  const unreadByAll = (workspaceId: string, level: NotificationLevel | undefined) => [
    amongLatest(workspaceId, level),
    sql`n.id >= coalesce(${readBefore(workspaceId)}, ${smallestId}::uuid)`,
    sql`NOT ${isReadByAnyone(workspaceId)}`
  ]

  const isReadBy = ({ userId, workspaceId }: typeof Member.Encoded) => sql`(${isSettled(sql)}
    OR EXISTS (SELECT FROM members m WHERE m.workspace_id = ${workspaceId}::uuid AND m.user_id = ${userId}::uuid
      AND (n.id < m.notifications_read_before OR n.created_at < m.created_at))
    OR EXISTS (SELECT FROM notification_reads r WHERE r.workspace_id = n.workspace_id
      AND r.notification_id = n.id AND r.user_id = ${userId}::uuid)
    OR ${isMutedFor(sql, userId)})`

  const unreadBy = (member: typeof Member.Encoded, level: NotificationLevel | undefined) => [
    amongLatest(member.workspaceId, level),
    sql`n.id >= coalesce((SELECT m.notifications_read_before FROM members m
      WHERE m.workspace_id = ${member.workspaceId}::uuid AND m.user_id = ${member.userId}::uuid), ${smallestId}::uuid)`,
    sql`NOT ${isReadBy(member)}`
  ]

  const findPage = SqlSchema.findOne({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      offset: Schema.Int,
      limit: Schema.Int,
      ...Filter
    }),
    Result: NotificationPage,
    execute: ({ level, limit, offset, unread, workspaceId }) => {
      const conditions = sql.and([
        ...ofWorkspace(workspaceId, level),
        ...(unread ? unreadByAll(workspaceId, level) : [])
      ])
      return sql`
      SELECT (SELECT count(*)::int FROM notifications n WHERE ${conditions}) AS total,
        coalesce((SELECT jsonb_agg(listed) FROM (
          SELECT ${listed}, ${isReadByAnyone(workspaceId)} AS read
          FROM notifications n WHERE n.workspace_id = ${workspaceId}::uuid AND n.id IN (
            -- The index alone says which notifications a far page skips: some 100 ms for a million of them.
            SELECT id FROM notifications n WHERE ${conditions}
            ORDER BY id DESC LIMIT ${limit}::int OFFSET ${offset}::bigint)
          ORDER BY n.id DESC) listed), '[]') AS data`
    }
  })

  const page: Notifications["page"] = Effect.fn("Repo.notifications.page")(
    (workspaceId, index, limit, { level, unread = false } = {}) =>
      findPage({ workspaceId, offset: index * limit, limit, level, unread }).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die),
        withDatabaseTimeout("listing notifications")
      )
  )

  const findForMember = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Member.fields,
      limit: Schema.Int,
      before: Schema.NullOr(NotificationId),
      ...Filter
    }),
    Result: NotificationRow,
    execute: ({ before, level, limit, unread, ...member }) => sql`
      SELECT to_jsonb(listed) AS notification FROM (
        SELECT ${listed}, ${isReadBy(member)} AS read
        FROM notifications n WHERE ${sql.and([
          ...ofWorkspace(member.workspaceId, level),
          ...(unread ? unreadBy(member, level) : []),
          ...(before === null ? [] : [sql`n.id < ${before}::uuid`])
        ])} ORDER BY n.id DESC LIMIT ${limit}::int) listed`
  })

  const listFor: Notifications["listFor"] = Effect.fn("Repo.notifications.listFor")((member, query) =>
    findForMember({ ...member, level: undefined, unread: false, ...query }).pipe(
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
        SELECT ${listed}, true AS read FROM found n) listed`
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

  // One value in the member's row marks notifications older than a minute. Newer ones are marked one by one, because
  // uncommitted transactions may hold others with ids between theirs.
  const insertAllReads = SqlSchema.findOne({
    Request: Schema.Struct({ userId: UserId, workspaceId: WorkspaceId, until: Schema.String, now: Timestamp }),
    Result: Schema.Struct({ updated: Schema.Int }),
    execute: ({ now, until, userId, workspaceId }) => sql`
      WITH marked AS (
        UPDATE members SET notifications_read_before = greatest(notifications_read_before, ${until}::uuid)
        WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid
      ), read AS (
        INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
        SELECT workspace_id, id, ${userId}::uuid, ${now}::timestamptz FROM notifications
        WHERE workspace_id = ${workspaceId}::uuid AND id >= ${until}::uuid
        ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS updated FROM notifications n
      JOIN members m ON m.workspace_id = n.workspace_id AND m.user_id = ${userId}::uuid
      WHERE n.workspace_id = ${workspaceId}::uuid AND n.created_at >= m.created_at AND NOT ${isSettled(sql)}
        AND NOT ${isMutedFor(sql, userId)}
        AND n.id >= coalesce(m.notifications_read_before, '00000000-0000-0000-0000-000000000000') AND NOT EXISTS (SELECT FROM notification_reads r
          WHERE r.workspace_id = n.workspace_id AND r.notification_id = n.id AND r.user_id = ${userId}::uuid)`
  })

  const markAllRead: Notifications["markAllRead"] = Effect.fn("Repo.notifications.markAllRead")(function* (member) {
    const now = yield* DateTime.now
    const until = smallestIdAt(DateTime.subtractDuration(now, longestTransaction))
    const { updated } = yield* insertAllReads({ ...member, until, now }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("marking notifications")
    )
    return updated
  })

  return {
    page,
    listFor,
    markRead,
    markAllRead,
    removeBefore: yield* makeRemoveBefore("notifications")
  } satisfies Notifications
})
