import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Events } from "./Events.ts"

const nothing = { events: 0, deliveries: 0 }

export const makeDispatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Locks nothing, so that a second in which nothing happens costs no write.
  const findUndispatched = SqlSchema.findOne({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: () => sql`SELECT EXISTS (SELECT FROM events WHERE position IS NULL AND audience = 'webhooks') AS found`
  })

  const lockDispatch = SqlSchema.findOneOption({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ only_row: Schema.Boolean }),
    execute: () => sql`SELECT only_row FROM event_dispatch FOR UPDATE SKIP LOCKED`
  })

  // A cursor over ids would lose events: they are committed in another order than that of their ids. So an event is one
  // without a position, and gets it here, where one transaction after another commits. Positions are times in microseconds,
  // unless many events share one: so they never go back, not even where the database is restored from a backup.
  const dispatchBatch = SqlSchema.findOne({
    Request: Schema.Struct({ limit: Schema.Int, now: Timestamp }),
    Result: Schema.Struct({ events: Schema.Int, deliveries: Schema.Int }),
    execute: ({ limit, now }) =>
      sql`
      WITH moment AS MATERIALIZED (
        SELECT greatest(last_position, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS base,
          least(${now}::timestamptz, clock_timestamp()) AS now
        FROM event_dispatch
      ),
      batch AS MATERIALIZED (
        SELECT id, workspace_id, row_number() OVER (ORDER BY id) AS place FROM (
          SELECT id, workspace_id FROM events ${sql.literal(inIndexOrder)} WHERE position IS NULL AND audience = 'webhooks'
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
      -- One lookup for each in the order of their ids, as where deliveries are settled.
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

  const dispatchInTurn = (limit: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        if (Option.isNone(yield* lockDispatch({}))) return nothing
        return yield* dispatchBatch({ limit, now: yield* DateTime.now })
      })
    )

  const dispatch: Events["dispatch"] = Effect.fn("Repo.events.dispatch")((limit) =>
    Effect.flatMap(findUndispatched({}), ({ found }) => (found ? dispatchInTurn(limit) : Effect.succeed(nothing))).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("dispatching events")
    )
  )
  return dispatch
})
