import { Array as Arr, DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChannelKind } from "../../domain/chat/channel.ts"
import {
  ChannelId,
  nextNotificationDeliveryId,
  NotificationDeliveryId,
  NotificationId,
  smallestIdAt,
  UserId,
  WorkspaceId
} from "../../domain/ids.ts"
import { gatherFor, mailedWithin, maxListed, spacing } from "../../domain/mail/mailPolicy.ts"
import { digestType, receiversOf } from "../../domain/mail/mailPreferences.ts"
import { nextHour } from "../../domain/nextHour.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { isoTime, Timestamp } from "../postgres/rows.ts"
import { type Deliveries, MemberChoices } from "./Deliveries.ts"
import { SendsMail } from "./SendsMail.ts"
import type { Receivers } from "./turns.ts"

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

const ChannelRow = Schema.Struct({
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  kind: ChannelKind,
  types: Schema.Array(Schema.String)
})

const NewDelivery = Schema.Struct({
  id: NotificationDeliveryId,
  workspaceId: WorkspaceId,
  kind: Schema.String,
  userId: Schema.NullOr(UserId),
  channelId: Schema.NullOr(ChannelId),
  type: Schema.String,
  ids: Schema.Array(NotificationId),
  count: Schema.Int,
  /** Null for the earliest time that the spacing allows. */
  dueAt: Schema.NullOr(Schema.DateTimeUtcFromString)
})
type PlannedDelivery = Omit<typeof NewDelivery.Type, "id">

/** A member's row as `m`. */
export const memberChoices = `m.role, ${isoTime("m.mail_muted_until")} AS "mutedUntil",
  (SELECT coalesce(jsonb_object_agg(p.type, p.mode), '{}') FROM notification_preferences p
    WHERE p.user_id = m.user_id AND p.workspace_id = m.workspace_id) AS modes`

const inMilliseconds = (duration: Duration.Duration) => `interval '${Duration.toMillis(duration)} milliseconds'`

const inOrder = (planned: ReadonlyMap<string, PlannedDelivery>): ReadonlyArray<PlannedDelivery> =>
  Array.from(planned.entries())
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, delivery]) => delivery)

/** One delivery for each person and type; a digest takes the notifications of all types together. */
const planMail = (
  matters: ReadonlyArray<typeof Matter.Type>,
  members: ReadonlyArray<typeof MemberRow.Type>,
  now: DateTime.Utc
): ReadonlyArray<PlannedDelivery> => {
  const byWorkspace = Arr.groupBy(members, ({ workspaceId }) => workspaceId)
  const planned = new Map<string, PlannedDelivery>()
  for (const { count, ids, type, workspaceId } of matters) {
    for (const { member, mode } of receiversOf(byWorkspace[workspaceId] ?? [], type, now)) {
      const { digestHour, timeZone, userId } = member
      const isDigest = mode === "digest"
      const key = `${workspaceId} ${userId} ${isDigest ? digestType : type}`
      const before = planned.get(key)
      planned.set(key, {
        workspaceId,
        kind: "mail",
        userId,
        channelId: null,
        type: isDigest ? digestType : type,
        ids: [...(before?.ids ?? []), ...ids].slice(0, maxListed),
        count: (before?.count ?? 0) + count,
        dueAt: isDigest ? nextHour(now, digestHour, timeZone) : null
      })
    }
  }
  return inOrder(planned)
}

/** One delivery for each channel and type. */
const planChat = (
  matters: ReadonlyArray<typeof Matter.Type>,
  channels: ReadonlyArray<typeof ChannelRow.Type>
): ReadonlyArray<PlannedDelivery> =>
  inOrder(
    new Map(
      matters.flatMap(({ count, ids, type, workspaceId }) =>
        channels
          .filter((channel) => channel.workspaceId === workspaceId && channel.types.includes(type))
          .map(({ channelId, kind }): [string, PlannedDelivery] => [
            `${channelId} ${type}`,
            { workspaceId, kind, userId: null, channelId, type, ids, count, dueAt: null }
          ])
      )
    )
  )

/** A delivery's receiver as conditions and columns: former deliveries to it, and the index of its open ones. */
const receiverSql: Readonly<Record<Receivers, { readonly former: string; readonly open: string }>> = {
  mail: {
    former: `former.user_id = r."userId" AND former.workspace_id = r."workspaceId"`,
    open: "(workspace_id, user_id, kind, type) WHERE status = 'pending' AND NOT sealed"
  },
  chat: {
    former: `former.channel_id = r."channelId"`,
    open: "(channel_id, type) WHERE status = 'pending' AND NOT sealed AND channel_id IS NOT NULL"
  }
}

const withIds = (planned: ReadonlyArray<PlannedDelivery>) =>
  Effect.forEach(planned, (each) => Effect.map(nextNotificationDeliveryId, (id) => ({ id, ...each })))

export const makeDispatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sendsMail = yield* SendsMail

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

  // The lock keeps a channel from being deleted until the deliveries are stored.
  const findChannels = SqlSchema.findAll({
    Request: Schema.Array(WorkspaceId),
    Result: ChannelRow,
    execute: (workspaceIds) => sql`
      SELECT workspace_id AS "workspaceId", id AS "channelId", kind, types FROM channels
      WHERE workspace_id = ANY(${workspaceIds}::uuid[]) AND disabled_reason IS NULL FOR KEY SHARE`
  })

  const insertFor = (receivers: Receivers) =>
    SqlSchema.void({
      Request: Schema.Struct({ deliveries: Schema.fromJsonString(Schema.Array(NewDelivery)), now: Timestamp }),
      execute: ({ deliveries, now }) => sql`
      WITH moment AS MATERIALIZED (SELECT least(${now}::timestamptz, clock_timestamp()) AS now)
      INSERT INTO notification_deliveries AS d (id, workspace_id, kind, user_id, channel_id, type, notification_ids, count,
        status, due_at, next_at, created_at)
      SELECT r.id, r."workspaceId", r.kind, r."userId", r."channelId", r.type, r.ids, r.count, 'pending', due.at, due.at,
        moment.now
      FROM jsonb_to_recordset(${deliveries}::jsonb) AS r (id uuid, "workspaceId" uuid, kind text, "userId" uuid,
        "channelId" uuid, type text, ids uuid[], count int, "dueAt" timestamptz)
      CROSS JOIN moment CROSS JOIN LATERAL (
        SELECT CASE WHEN r."dueAt" IS NOT NULL THEN ${onDatabaseClock(sql, sql.literal('r."dueAt"'), sql`${now}::timestamptz`)}
          ELSE greatest(moment.now + ${sql.literal(inMilliseconds(gatherFor))}, (
            SELECT max(former.due_at) + ${sql.literal(inMilliseconds(spacing))} FROM notification_deliveries former
            WHERE ${sql.literal(receiverSql[receivers].former)} AND former.type = r.type
              AND former.due_at > moment.now - ${sql.literal(inMilliseconds(spacing))}
              AND former.due_at < moment.now + ${sql.literal(inMilliseconds(spacing))})) END AS at) due
      ON CONFLICT ${sql.literal(receiverSql[receivers].open)} DO UPDATE SET
        -- A notification that counts posts comes again with a higher count.
        count = least(d.count, 1000000) + excluded.count
          - (SELECT count(*)::int FROM unnest(excluded.notification_ids) added (id) WHERE id = ANY(d.notification_ids)),
        notification_ids = (d.notification_ids || ARRAY(
          SELECT id FROM unnest(excluded.notification_ids) added (id) WHERE id <> ALL(d.notification_ids) ORDER BY id
          ))[1:${sql.literal(String(maxListed))}]`
    })
  const insertMail = insertFor("mail")
  const insertChat = insertFor("chat")

  const dispatchBatch = (limit: number, since: string) =>
    Effect.gen(function* () {
      const matters = yield* takeMatters({ since, limit })
      const workspaceIds = Array.from(new Set(matters.map(({ workspaceId }) => workspaceId)))
      const members = sendsMail ? yield* findMembers(workspaceIds) : []
      const channels = yield* findChannels(workspaceIds)
      const now = yield* DateTime.now
      const mail = yield* withIds(planMail(matters, members, now))
      const chat = yield* withIds(planChat(matters, channels))
      if (mail.length > 0) yield* insertMail({ deliveries: mail, now })
      if (chat.length > 0) yield* insertChat({ deliveries: chat, now })
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
