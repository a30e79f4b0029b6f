import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken, NotificationDeliveryId } from "../../domain/ids.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { makeRemoveBefore } from "../removeBefore.ts"
import { type Deliveries, MailBacklog, MailClaim } from "./Deliveries.ts"
import { makeDispatch, memberChoices } from "./dispatch.ts"
import { isSettled } from "./notificationState.ts"

const Held = Schema.Struct({ id: NotificationDeliveryId, token: ClaimToken })

export const makeDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const readable = readableRows(MailClaim, "A message to a person can't be read, and waits for the end of its lease")

  // Locks nothing, so that an idle second costs one read.
  const findDue = SqlSchema.findOne({
    Request: Timestamp,
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: (now) => sql`
      SELECT EXISTS (SELECT FROM notification_deliveries
        WHERE next_at <= least(${now}::timestamptz, clock_timestamp())) AS found`
  })

  const claimDue = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, token: ClaimToken, now: Timestamp, leaseUntil: Timestamp }),
    Result: Schema.Unknown,
    execute: ({ leaseUntil, limit, now, token }) => sql`
      WITH moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now,
          ${onDatabaseClock(sql, sql`${leaseUntil}::timestamptz`, sql`${now}::timestamptz`)} AS lease_until
      ), due AS MATERIALIZED (
        SELECT id FROM notification_deliveries WHERE next_at <= (SELECT now FROM moment)
        ORDER BY next_at LIMIT ${limit}::int FOR NO KEY UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE notification_deliveries d SET attempts = least(d.attempts, 1000000) + 1, sealed = true,
          claim_token = ${token}::uuid, next_at = (SELECT lease_until FROM moment)
        FROM due WHERE d.id = due.id AND d.id = ANY(ARRAY(SELECT id FROM due))
        RETURNING d.*
      )
      SELECT c.id, c.claim_token AS token, c.attempts, c.workspace_id AS "workspaceId", w.name AS "workspaceName",
        c.user_id AS "userId", u.email, c.type, c.count, ${sql.literal(memberChoices)}, listed.notifications,
        cardinality(c.notification_ids) - jsonb_array_length(listed.notifications) AS missing
      FROM claimed c JOIN workspaces w ON w.id = c.workspace_id JOIN users u ON u.id = c.user_id
      JOIN members m ON m.user_id = c.user_id AND m.workspace_id = c.workspace_id
      CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_object('type', n.type, 'title', n.title, 'message', n.message,
          'actionUrl', n.action_url, 'count',
          CASE WHEN n.metadata ->> 'count' ~ '^[0-9]{1,9}$' THEN (n.metadata ->> 'count')::int ELSE 1 END) ORDER BY n.id), '[]')
          AS notifications
        FROM notifications n WHERE n.workspace_id = c.workspace_id AND n.id = ANY(c.notification_ids)
          AND NOT ${isSettled(sql)}) listed`
  })

  const claim: Deliveries["claim"] = Effect.fn("Repo.deliveries.claim")((limit, lease) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const { found } = yield* findDue(now)
      if (!found) return []
      const token = yield* nextClaimToken
      return yield* claimDue({ limit, token, now, leaseUntil: DateTime.addDuration(now, lease) })
    }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("claiming mail"),
      Effect.flatMap(readable)
    )
  )

  const write = SqlSchema.void({
    Request: Schema.Struct({
      ...Held.fields,
      status: Schema.String,
      nextAt: NullableTimestamp,
      error: Schema.NullOr(Schema.String),
      now: Timestamp
    }),
    execute: ({ error, id, nextAt, now, status, token }) => sql`
      UPDATE notification_deliveries SET status = ${status}, claim_token = NULL, error = ${error},
        next_at = CASE WHEN ${nextAt}::timestamptz IS NOT NULL THEN ${onDatabaseClock(sql, sql`${nextAt}::timestamptz`, sql`${now}::timestamptz`)} END,
        ended_at = CASE WHEN ${nextAt}::timestamptz IS NULL THEN least(${now}::timestamptz, clock_timestamp()) END
      WHERE id = ${id}::uuid AND claim_token = ${token}::uuid`
  })

  const settle: Deliveries["settle"] = Effect.fn("Repo.deliveries.settle")(function* ({ id, token }, end) {
    yield* write({ id, token, ...end, now: yield* DateTime.now }).pipe(withDatabaseTimeout("settling mail"))
  })

  const unclaim = SqlSchema.void({
    Request: Schema.Struct({ ...Held.fields, now: Timestamp }),
    execute: ({ id, now, token }) => sql`
      UPDATE notification_deliveries SET attempts = attempts - 1, claim_token = NULL,
        next_at = least(${now}::timestamptz, clock_timestamp())
      WHERE id = ${id}::uuid AND claim_token = ${token}::uuid`
  })

  const release: Deliveries["release"] = Effect.fn("Repo.deliveries.release")(function* ({ id, token }) {
    yield* unclaim({ id, token, now: yield* DateTime.now }).pipe(withDatabaseTimeout("releasing mail"))
  })

  const findBacklog = SqlSchema.findOne({
    Request: Schema.Struct({}),
    Result: MailBacklog,
    execute: () => sql`
      SELECT count(*)::int AS waiting, min(greatest(due_at, 'epoch')) AS oldest
      FROM notification_deliveries WHERE next_at <= clock_timestamp()`
  })

  const backlog: Deliveries["backlog"] = findBacklog({}).pipe(
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("counting the backlog of mail"),
    Effect.withSpan("Repo.deliveries.backlog")
  )

  return {
    dispatch: yield* makeDispatch,
    claim,
    settle,
    release,
    backlog,
    removeBefore: yield* makeRemoveBefore("notification_deliveries")
  } satisfies Deliveries
})
