import { Array as Arr, DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken, WorkspaceId } from "../../domain/ids.ts"
import { nextOutlook } from "../../domain/outlook/nextOutlook.ts"
import { defaultOutlookHour } from "../../domain/plain/outlook.ts"
import { makeAuthority } from "../people/authority.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { makeLostClaims } from "../targets/lostClaims.ts"
import { makeOutlookPosts } from "./outlookPosts.ts"
import { OutlookClaim, type Outlooks } from "./OutlookRuns.ts"

/** The stored settings, or the defaults, with the zone of the workspace's queue. */
const Plan = Schema.Struct({
  workspaceId: WorkspaceId,
  hour: Schema.NullOr(Schema.Int),
  alwaysNotify: Schema.Boolean,
  timeZone: Schema.String,
  checkedAt: NullableTimestamp
})
type Plan = typeof Plan.Type

const Placed = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      ...Plan.fields,
      checkedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
      dueAt: Schema.NullOr(Schema.DateTimeUtcFromString)
    })
  )
)

const Held = Schema.Struct({ workspaceId: WorkspaceId, token: ClaimToken })

export const makeOutlooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockWorkspace = yield* makeLockWorkspace
  const { hold } = yield* makeAuthority
  const { lostTokens, rememberIfLost } = yield* makeLostClaims(Duration.zero)

  const plans = sql.literal(`w.id AS "workspaceId", o.checked_at AS "checkedAt",
    CASE WHEN o.workspace_id IS NULL THEN ${defaultOutlookHour} ELSE o.hour END AS hour,
    coalesce(o.always_notify, false) AS "alwaysNotify", coalesce(q.time_zone, 'UTC') AS "timeZone"
    FROM workspaces w LEFT JOIN outlooks o ON o.workspace_id = w.id LEFT JOIN queues q ON q.workspace_id = w.id`)

  const find = SqlSchema.findOne({
    Request: WorkspaceId,
    Result: Plan,
    execute: (workspaceId) => sql`SELECT ${plans} WHERE w.id = ${workspaceId}::uuid`
  })

  const read = (workspaceId: WorkspaceId) => Effect.catchTag(find(workspaceId), "NoSuchElementError", Effect.die)

  const asSettings = (plan: Plan) => Effect.map(DateTime.now, (now) => ({ ...plan, nextAt: nextOutlook(now, plan) }))

  const settings: Outlooks["settings"] = Effect.fn("Repo.outlooks.settings")((workspaceId) =>
    read(workspaceId).pipe(Effect.flatMap(asSettings), withDatabaseTimeout("reading when posts are checked"))
  )

  // A check that is being made keeps its claim, unless the workspace wants no more of them.
  const write = SqlSchema.void({
    Request: Schema.Struct({ ...Plan.fields, dueAt: NullableTimestamp }),
    execute: ({ alwaysNotify, dueAt, hour, timeZone, workspaceId }) => sql`
      INSERT INTO outlooks AS o (workspace_id, hour, always_notify, time_zone, due_at, next_at)
      VALUES (${workspaceId}::uuid, ${hour}::smallint, ${alwaysNotify}::boolean, ${timeZone}, ${dueAt}::timestamptz, ${dueAt}::timestamptz)
      ON CONFLICT (workspace_id) DO UPDATE SET hour = excluded.hour, always_notify = excluded.always_notify,
        time_zone = excluded.time_zone, due_at = excluded.due_at,
        next_at = CASE WHEN o.claim_token IS NULL OR excluded.hour IS NULL THEN excluded.next_at ELSE o.next_at END,
        claim_token = CASE WHEN excluded.hour IS NOT NULL THEN o.claim_token END`
  })

  const updateSettings: Outlooks["updateSettings"] = Effect.fn("Repo.outlooks.updateSettings")(
    (workspaceId, changes, by) =>
      Effect.gen(function* () {
        yield* lockWorkspace(workspaceId)
        yield* hold(by)
        const after = { ...(yield* read(workspaceId)), ...changes }
        const { nextAt, ...changed } = yield* asSettings(after)
        yield* write({ ...changed, dueAt: nextAt })
        return { ...changed, nextAt }
      }).pipe(sql.withTransaction, withDatabaseTimeout("changing when posts are checked"))
  )

  const findUnplaced = SqlSchema.findAll({
    Request: Schema.Int,
    Result: Plan,
    execute: (limit) => sql`
      SELECT ${plans}
      WHERE o.workspace_id IS NULL
        OR o.hour IS NOT NULL AND o.claim_token IS NULL AND o.time_zone <> coalesce(q.time_zone, 'UTC')
      LIMIT ${limit}::int`
  })

  // Leaves rows alone that were changed since they were read. The next round reads them again.
  const place = SqlSchema.void({
    Request: Placed,
    execute: (placed) => sql`
      INSERT INTO outlooks AS o (workspace_id, hour, time_zone, due_at, next_at, checked_at)
      SELECT r."workspaceId", r.hour, r."timeZone", r."dueAt", r."dueAt", r."checkedAt"
      FROM jsonb_to_recordset(${placed}::jsonb) AS r ("workspaceId" uuid, hour smallint, "timeZone" text,
        "dueAt" timestamptz, "checkedAt" timestamptz)
      ON CONFLICT (workspace_id) DO UPDATE SET time_zone = excluded.time_zone, due_at = excluded.due_at,
        next_at = excluded.next_at
      WHERE o.hour = excluded.hour AND o.claim_token IS NULL AND o.checked_at IS NOT DISTINCT FROM excluded.checked_at`
  })

  const plan: Outlooks["plan"] = Effect.fn("Repo.outlooks.plan")(function* (limit) {
    const found = yield* findUnplaced(limit)
    const now = yield* DateTime.now
    if (found.length > 0) yield* place(found.map((each) => ({ ...each, dueAt: nextOutlook(now, each) })))
    return found.length
  }, withDatabaseTimeout("planning when posts are checked"))

  const claimDue = SqlSchema.findOneOption({
    Request: Schema.Struct({ token: ClaimToken, now: Timestamp, leaseUntil: Timestamp }),
    Result: OutlookClaim,
    execute: ({ leaseUntil, now, token }) => sql`
      WITH due AS MATERIALIZED (
        SELECT workspace_id FROM outlooks
        WHERE next_at <= least(${now}::timestamptz, clock_timestamp())
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        ORDER BY next_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE outlooks o SET claim_token = ${token}::uuid,
        next_at = ${onDatabaseClock(sql, sql`${leaseUntil}::timestamptz`, sql`${now}::timestamptz`)}
      FROM due WHERE o.workspace_id = due.workspace_id
      RETURNING o.workspace_id AS "workspaceId", o.claim_token AS token, o.due_at AS "dueAt",
        o.always_notify AS "alwaysNotify", o.hour`
  })

  const unclaim = SqlSchema.void({
    Request: Schema.Struct({ tokens: Schema.fromJsonString(Schema.Array(ClaimToken)), now: Timestamp }),
    execute: ({ now, tokens }) => sql`
      UPDATE outlooks SET claim_token = NULL, next_at = least(${now}::timestamptz, clock_timestamp())
      WHERE claim_token IN (SELECT jsonb_array_elements_text(${tokens}::jsonb)::uuid)`
  })

  const claim: Outlooks["claim"] = Effect.fn("Repo.outlooks.claim")(function* (lease) {
    const now = yield* DateTime.now
    const tokens = yield* lostTokens(now)
    if (Arr.isArrayNonEmpty(tokens)) yield* unclaim({ tokens, now })
    const token = yield* nextClaimToken
    const leaseUntil = DateTime.addDuration(now, lease)
    return yield* claimDue({ token, now, leaseUntil }).pipe(rememberIfLost({ token, leaseUntil }))
  }, withDatabaseTimeout("claiming a check of posts"))

  const lockClaimed = SqlSchema.findOneOption({
    Request: Held,
    Result: Plan,
    execute: ({ token, workspaceId }) => sql`
      SELECT ${plans} WHERE w.id = ${workspaceId}::uuid AND o.claim_token = ${token}::uuid FOR NO KEY UPDATE OF o`
  })

  const end = SqlSchema.void({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      timeZone: Schema.String,
      checkedAt: NullableTimestamp,
      dueAt: NullableTimestamp
    }),
    execute: ({ checkedAt, dueAt, timeZone, workspaceId }) => sql`
      UPDATE outlooks SET checked_at = ${checkedAt}::timestamptz, time_zone = ${timeZone},
        due_at = ${dueAt}::timestamptz, next_at = ${dueAt}::timestamptz, claim_token = NULL
      WHERE workspace_id = ${workspaceId}::uuid`
  })

  const settle: Outlooks["settle"] = Effect.fn("Repo.outlooks.settle")(
    function* ({ token, workspaceId }, isChecked) {
      const held = yield* lockClaimed({ workspaceId, token })
      if (Option.isNone(held)) return false
      const now = yield* DateTime.now
      const after = { ...held.value, ...(isChecked && { checkedAt: now }) }
      yield* end({ ...after, dueAt: nextOutlook(now, after) })
      return true
    },
    sql.withTransaction,
    withDatabaseTimeout("ending a check of posts")
  )

  const release: Outlooks["release"] = Effect.fn("Repo.outlooks.release")(function* ({ token }) {
    yield* unclaim({ tokens: [token], now: yield* DateTime.now })
  }, withDatabaseTimeout("releasing a check of posts"))

  return { ...(yield* makeOutlookPosts), settings, updateSettings, plan, claim, settle, release } satisfies Outlooks
})
