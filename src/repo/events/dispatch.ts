import { Cause, Clock, DateTime, Duration, Effect, Exit, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WorkspaceId } from "../../domain/ids.ts"
import { isOwnFault } from "../ownFault.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Events } from "./Events.ts"

const nothing = { events: 0, deliveries: 0 }

/** The pauses after a defect and after a locked row. */
const defectPause = Duration.minutes(1)
const lockPause = Duration.seconds(5)

type Whose = { readonly only: WorkspaceId } | { readonly except: ReadonlyArray<WorkspaceId> }

export const makeDispatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Locks nothing, so that an idle second costs no write.
  const findUndispatched = SqlSchema.findOne({
    Request: Schema.Struct({ except: Schema.Array(WorkspaceId) }),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: ({ except }) => sql`
      SELECT EXISTS (SELECT FROM events WHERE position IS NULL AND audience = 'webhooks'
        AND workspace_id <> ALL(${except}::uuid[])) AS found`
  })

  const lockDispatch = SqlSchema.findOneOption({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ only_row: Schema.Boolean }),
    execute: () => sql`SELECT only_row FROM event_dispatch FOR UPDATE SKIP LOCKED`
  })

  // A cursor over ids would miss events, because ids are not committed in order. So events get positions here, where
  // transactions commit one after another. A position is the time in microseconds, or more if events share a time, and
  // never decreases, even after a restore.
  const dispatchBatch = SqlSchema.findOne({
    Request: Schema.Struct({
      limit: Schema.Int,
      now: Timestamp,
      only: Schema.NullOr(WorkspaceId),
      except: Schema.Array(WorkspaceId)
    }),
    Result: Schema.Struct({ events: Schema.Int, deliveries: Schema.Int }),
    execute: ({ except, limit, now, only }) =>
      sql`
      WITH moment AS MATERIALIZED (
        SELECT greatest(last_position, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS base,
          least(${now}::timestamptz, clock_timestamp()) AS now
        FROM event_dispatch
      ),
      batch AS MATERIALIZED (
        SELECT id, workspace_id, row_number() OVER (ORDER BY id) AS place FROM (
          SELECT id, workspace_id FROM events ${sql.literal(inIndexOrder)} WHERE position IS NULL AND audience = 'webhooks'
            AND ${only === null ? sql`workspace_id <> ALL(${except}::uuid[])` : sql`workspace_id = ${only}::uuid`}
          ORDER BY id LIMIT ${limit}::int) oldest
      ),
      dispatched AS (
        UPDATE events e SET position = (SELECT base FROM moment) + batch.place
        FROM batch WHERE e.id = batch.id RETURNING e.id, e.workspace_id, e.type
      ),
      queued AS (
        INSERT INTO webhook_deliveries (event_id, webhook_id, workspace_id, status, next_at, queued_at)
        SELECT d.id, w.id, d.workspace_id, 'pending', moment.now, moment.now
        FROM moment CROSS JOIN dispatched d
        JOIN webhooks w ON w.workspace_id = d.workspace_id AND w.disabled_reason IS NULL
          -- By their workspaces, however many webhooks the planner expects.
          AND w.workspace_id = ANY(ARRAY(SELECT workspace_id FROM batch))
          AND (w.events IS NULL OR d.type = ANY(w.events))
        ON CONFLICT DO NOTHING RETURNING webhook_id
      ),
      locked AS MATERIALIZED (
        SELECT w.id FROM (SELECT DISTINCT webhook_id FROM queued ORDER BY webhook_id) q
        CROSS JOIN LATERAL (SELECT id FROM webhooks WHERE id = q.webhook_id FOR NO KEY UPDATE) w
      ),
      woken AS (
        UPDATE webhooks w SET due_at = least(w.due_at, greatest(moment.now, w.held_until))
        FROM locked, moment WHERE w.id = locked.id AND w.id = ANY(ARRAY(SELECT id FROM locked))
      ),
      counted AS (
        UPDATE event_dispatch SET last_position = (SELECT base FROM moment) + (SELECT count(*) FROM batch)
      )
      SELECT (SELECT count(*)::int FROM dispatched) AS events, (SELECT count(*)::int FROM queued) AS deliveries`
  })

  const findWaiting = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, except: Schema.Array(WorkspaceId) }),
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: ({ except, limit }) => sql`
      SELECT DISTINCT workspace_id AS id FROM (
        SELECT workspace_id FROM events ${sql.literal(inIndexOrder)} WHERE position IS NULL AND audience = 'webhooks'
          AND workspace_id <> ALL(${except}::uuid[])
        ORDER BY id LIMIT ${limit}::int) oldest`
  })

  const dispatchInTurn = (limit: number, whose: Whose) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          if (Option.isNone(yield* lockDispatch({}))) return nothing
          return yield* dispatchBatch({ limit, now: yield* DateTime.now, only: null, except: [], ...whose })
        })
      )
      .pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("dispatching events"))

  /** Workspaces whose events could not be dispatched, with the time of the next attempt in milliseconds. */
  const aside = new Map<WorkspaceId, number>()

  const setAside = Effect.fnUntraced(function* <E>(id: WorkspaceId, cause: Cause.Cause<E>) {
    const pause = Cause.hasDies(cause) ? defectPause : lockPause
    aside.set(id, (yield* Clock.currentTimeMillis) + Duration.toMillis(pause))
    yield* (Cause.hasDies(cause) ? Effect.logError : Effect.logDebug)(
      "The events of a workspace can't be dispatched, and wait",
      cause
    ).pipe(Effect.annotateLogs({ workspace_id: id }))
  })

  /** Dispatches each workspace separately, so that a defect in one does not hold up the others. */
  const dispatchApart = Effect.fnUntraced(function* (limit: number, except: ReadonlyArray<WorkspaceId>) {
    const waiting = yield* withDatabaseTimeout("finding events")(findWaiting({ limit, except }))
    let { deliveries, events } = nothing
    for (const { id } of waiting) {
      const dispatched = yield* Effect.exit(dispatchInTurn(limit, { only: id }))
      if (Exit.isSuccess(dispatched)) {
        deliveries += dispatched.value.deliveries
        events += dispatched.value.events
      } else if (isOwnFault(dispatched.cause)) yield* setAside(id, dispatched.cause)
      else return yield* Effect.failCause(dispatched.cause)
    }
    return { events, deliveries }
  })

  const dispatch: Events["dispatch"] = Effect.fn("Repo.events.dispatch")(function* (limit) {
    const now = yield* Clock.currentTimeMillis
    for (const [id, until] of aside) if (until <= now) aside.delete(id)
    const except = [...aside.keys()]
    const { found } = yield* findUndispatched({ except }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("looking for events")
    )
    if (!found) return nothing
    return yield* Effect.catchCauseIf(dispatchInTurn(limit, { except }), isOwnFault, () => dispatchApart(limit, except))
  })
  return dispatch
})
