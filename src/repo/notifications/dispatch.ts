import { Array as Arr, DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  nextNotificationDeliveryId,
  NotificationDeliveryId,
  NotificationId,
  smallestIdAt,
  UserId,
  WorkspaceId
} from "../../domain/ids.ts"
import { gatherFor, mailedWithin, maxListed, spacing } from "../../domain/mail/mailPolicy.ts"
import { digestType, receiversOf } from "../../domain/mail/mailPreferences.ts"
import { nextDigest } from "../../domain/mail/nextDigest.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { isoTime, Timestamp } from "../postgres/rows.ts"
import { type Deliveries, MemberChoices } from "./Deliveries.ts"

/** The notifications of one type in a workspace. */
const Matter = Schema.Struct({
  workspaceId: WorkspaceId,
  type: Schema.String,
  ids: Schema.Array(NotificationId),
  count: Schema.Int
})

const MemberRow = Schema.Struct({
  workspaceId: WorkspaceId,
  userId: UserId,
  ...MemberChoices,
  digestHour: Schema.Int,
  timeZone: Schema.NullOr(Schema.String)
})

const NewDelivery = Schema.Struct({
  id: NotificationDeliveryId,
  workspaceId: WorkspaceId,
  userId: UserId,
  type: Schema.String,
  ids: Schema.Array(NotificationId),
  count: Schema.Int,
  /** Null for the earliest time that the spacing allows. */
  dueAt: Schema.NullOr(Schema.DateTimeUtcFromString)
})
type NewDelivery = typeof NewDelivery.Type

/** A member's row as `m`. */
export const memberChoices = `m.role, ${isoTime("m.mail_muted_until")} AS "mutedUntil",
  (SELECT coalesce(jsonb_object_agg(p.type, p.mode), '{}') FROM notification_preferences p
    WHERE p.user_id = m.user_id AND p.workspace_id = m.workspace_id) AS modes`

const inMilliseconds = (duration: Duration.Duration) => `interval '${Duration.toMillis(duration)} milliseconds'`

/** One delivery for each person and type; a digest takes the notifications of all types together. */
const planDeliveries = (
  matters: ReadonlyArray<typeof Matter.Type>,
  members: ReadonlyArray<typeof MemberRow.Type>,
  now: DateTime.Utc
): ReadonlyArray<Omit<NewDelivery, "id">> => {
  const byWorkspace = Arr.groupBy(members, ({ workspaceId }) => workspaceId)
  const planned = new Map<string, Omit<NewDelivery, "id">>()
  for (const { count, ids, type, workspaceId } of matters) {
    for (const { member, mode } of receiversOf(byWorkspace[workspaceId] ?? [], type, now)) {
      const { digestHour, timeZone, userId } = member
      const isDigest = mode === "digest"
      const key = `${workspaceId} ${userId} ${isDigest ? digestType : type}`
      const before = planned.get(key)
      planned.set(key, {
        workspaceId,
        userId,
        type: isDigest ? digestType : type,
        ids: [...(before?.ids ?? []), ...ids].slice(0, maxListed),
        count: (before?.count ?? 0) + count,
        dueAt: isDigest ? nextDigest(now, digestHour, timeZone) : null
      })
    }
  }
  return Array.from(planned.entries())
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, delivery]) => delivery)
}

export const makeDispatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Locks nothing, so that an idle second costs no write.
  const findAwaiting = SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: (since) => sql`
      SELECT EXISTS (SELECT FROM notifications WHERE awaits_delivery AND id >= ${since}::uuid) AS found`
  })

  const takeMatters = SqlSchema.findAll({
    Request: Schema.Struct({ since: Schema.String, limit: Schema.Int }),
    Result: Matter,
    execute: ({ limit, since }) => sql`
      WITH taken AS MATERIALIZED (
        SELECT id, workspace_id, type FROM notifications WHERE awaits_delivery AND id >= ${since}::uuid
        ORDER BY id LIMIT ${limit}::int FOR NO KEY UPDATE SKIP LOCKED
      ), dispatched AS (
        UPDATE notifications n SET awaits_delivery = NULL
        FROM taken WHERE n.id = taken.id AND n.id = ANY(ARRAY(SELECT id FROM taken))
      )
      SELECT workspace_id AS "workspaceId", type, (array_agg(id ORDER BY id))[1:${sql.literal(String(maxListed))}] AS ids,
        count(*)::int AS count
      FROM taken GROUP BY workspace_id, type`
  })

  // The lock keeps a member from being removed until the deliveries are stored.
  const findMembers = SqlSchema.findAll({
    Request: Schema.Array(WorkspaceId),
    Result: MemberRow,
    execute: (workspaceIds) => sql`
      SELECT m.workspace_id AS "workspaceId", m.user_id AS "userId", ${sql.literal(memberChoices)},
        m.digest_hour AS "digestHour", q.time_zone AS "timeZone"
      FROM members m LEFT JOIN queues q ON q.workspace_id = m.workspace_id
      WHERE m.workspace_id = ANY(${workspaceIds}::uuid[]) FOR KEY SHARE OF m`
  })

  const insert = SqlSchema.void({
    Request: Schema.Struct({ deliveries: Schema.fromJsonString(Schema.Array(NewDelivery)), now: Timestamp }),
    execute: ({ deliveries, now }) => sql`
      WITH moment AS MATERIALIZED (SELECT least(${now}::timestamptz, clock_timestamp()) AS now)
      INSERT INTO notification_deliveries AS d (id, workspace_id, kind, user_id, type, notification_ids, count, status,
        due_at, next_at, created_at)
      SELECT r.id, r."workspaceId", 'mail', r."userId", r.type, r.ids, r.count, 'pending', due.at, due.at, moment.now
      FROM jsonb_to_recordset(${deliveries}::jsonb) AS r (id uuid, "workspaceId" uuid, "userId" uuid, type text, ids uuid[],
        count int, "dueAt" timestamptz)
      CROSS JOIN moment CROSS JOIN LATERAL (
        SELECT CASE WHEN r."dueAt" IS NOT NULL THEN ${onDatabaseClock(sql, sql.literal('r."dueAt"'), sql`${now}::timestamptz`)}
          ELSE greatest(moment.now + ${sql.literal(inMilliseconds(gatherFor))}, (
            SELECT max(former.due_at) + ${sql.literal(inMilliseconds(spacing))} FROM notification_deliveries former
            WHERE former.user_id = r."userId" AND former.workspace_id = r."workspaceId" AND former.type = r.type
              AND former.due_at > moment.now - ${sql.literal(inMilliseconds(spacing))}
              AND former.due_at < moment.now + ${sql.literal(inMilliseconds(spacing))})) END AS at) due
      ON CONFLICT (workspace_id, user_id, kind, type) WHERE status = 'pending' AND NOT sealed DO UPDATE SET
        -- A notification that counts posts comes again with a higher count.
        count = least(d.count, 1000000) + excluded.count
          - (SELECT count(*)::int FROM unnest(excluded.notification_ids) added (id) WHERE id = ANY(d.notification_ids)),
        notification_ids = (d.notification_ids || ARRAY(
          SELECT id FROM unnest(excluded.notification_ids) added (id) WHERE id <> ALL(d.notification_ids) ORDER BY id
          ))[1:${sql.literal(String(maxListed))}]`
  })

  const dispatchBatch = (limit: number, since: string) =>
    Effect.gen(function* () {
      const matters = yield* takeMatters({ since, limit })
      const members = yield* findMembers(Array.from(new Set(matters.map(({ workspaceId }) => workspaceId))))
      const now = yield* DateTime.now
      const deliveries = yield* Effect.forEach(planDeliveries(matters, members, now), (planned) =>
        Effect.map(nextNotificationDeliveryId, (id) => ({ id, ...planned }))
      )
      if (deliveries.length > 0) yield* insert({ deliveries, now })
      return matters.reduce((sum, { count }) => sum + count, 0)
    }).pipe(sql.withTransaction)

  const dispatch: Deliveries["dispatch"] = Effect.fn("Repo.deliveries.dispatch")((limit) =>
    Effect.gen(function* () {
      const since = smallestIdAt(DateTime.subtractDuration(yield* DateTime.now, mailedWithin))
      const { found } = yield* findAwaiting(since)
      return found ? yield* dispatchBatch(limit, since) : 0
    }).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("dispatching notifications"))
  )
  return dispatch
})
