import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WebhookEventType } from "../../domain/webhooks/event.ts"
import { ApiKeyId, EventId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { ListClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { type Events, ListedEvent } from "./Events.ts"

export const eventColumn = "jsonb_build_object('type', type, 'timestamp', created_at, 'data', data) AS event"

export const makeListEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lists = yield* ListClient

  const findEvents = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      limit: Schema.Int,
      postId: Schema.NullOr(PostId),
      type: Schema.NullOr(WebhookEventType),
      byKey: Schema.NullOr(ApiKeyId),
      after: Schema.NullOr(Schema.Int),
      before: Schema.NullOr(Schema.Struct({ position: Schema.Int, id: Schema.NullOr(EventId) }))
    }),
    Result: Schema.Struct({ ...ListedEvent.fields, position: Schema.FiniteFromString, followed: Schema.Boolean }),
    execute: ({ after, before, byKey, limit, postId, type, workspaceId }) => lists`
      SELECT id, position::text AS position, ${sql.literal(eventColumn)},
        (SELECT events_read_at IS NOT NULL FROM workspaces WHERE id = ${workspaceId}::uuid) AS followed
      FROM events WHERE ${sql.and([
        sql`workspace_id = ${workspaceId}::uuid AND position IS NOT NULL`,
        ...(postId === null ? [] : [sql`post_id = ${postId}::uuid`]),
        ...(byKey === null ? [] : [sql`by_key = ${byKey}::uuid`]),
        // The type is a literal, because the index of rare types is partial.
        ...(type === null ? [] : [sql`type = ${sql.literal(`'${type}'`)}`]),
        ...(after === null ? [] : [sql`position > ${after}::bigint`]),
        // Events recorded without a follower may share a position.
        ...(before === null
          ? []
          : [
              sql`(position, id) < (${before.position}::bigint, coalesce(${before.id}::uuid, '00000000-0000-0000-0000-000000000000'))`
            ])
      ])} ORDER BY events.position DESC, id DESC LIMIT ${limit}::int`
  })

  // Waits for transactions that are recording without a follower, so that their events can be read.
  const lockUnfollowed = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: (id) => sql`SELECT id FROM workspaces WHERE id = ${id}::uuid AND events_read_at IS NULL FOR UPDATE`
  })

  const startFollowing = SqlSchema.void({
    Request: Schema.Struct({ id: WorkspaceId, now: Timestamp }),
    execute: ({ id, now }) => sql`
      WITH followed AS (UPDATE workspaces SET events_read_at = ${now}::timestamptz WHERE id = ${id}::uuid)
      UPDATE event_dispatch SET last_position = greatest(last_position,
        (SELECT max(position) FROM events WHERE workspace_id = ${id}::uuid AND position IS NOT NULL))`
  })

  const follow = (id: WorkspaceId) =>
    sql.withTransaction(
      Effect.gen(function* () {
        if ((yield* lockUnfollowed(id)).length > 0) yield* startFollowing({ id, now: yield* DateTime.now })
      })
    )

  const list: Events["list"] = Effect.fn("Repo.events.list")((workspaceId, query) =>
    Effect.gen(function* () {
      const find = findEvents({ workspaceId, ...query })
      const found = yield* find
      if (found.every(({ followed }) => followed)) return found
      yield* follow(workspaceId)
      return yield* find
    }).pipe(withDatabaseTimeout("listing events"))
  )

  return list
})
