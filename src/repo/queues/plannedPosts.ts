import { type DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

export interface PlannedPost {
  readonly id: PostId
  readonly scheduledAt: DateTime.Utc | null
  /** The slot that it holds. */
  readonly slotAt: DateTime.Utc | null
}

interface SlotOfPost {
  readonly id: PostId
  readonly at: DateTime.Utc
}

export interface PlannedPosts {
  /** The times of those of the posts that exist. */
  readonly findPlanned: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<PostId>
  ) => Effect.Effect<ReadonlyArray<PlannedPost>, DatabaseUnavailable>
  /** Lets posts hold the slots of their times. Within `queues.lock`, after the slots are free. */
  readonly holdSlots: (
    workspaceId: WorkspaceId,
    slots: ReadonlyArray<SlotOfPost>
  ) => Effect.Effect<void, DatabaseUnavailable>
}

export const makePlannedPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, ids: Schema.Array(PostId) }),
    Result: Schema.Struct({ id: PostId, scheduledAt: NullableTimestamp, slotAt: NullableTimestamp }),
    execute: ({ ids, workspaceId }) => sql`
      SELECT id, scheduled_at AS "scheduledAt", slot_at AS "slotAt" FROM posts
      WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[])`
  })

  const hold = SqlSchema.void({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      ids: Schema.Array(PostId),
      instants: Schema.Array(Timestamp)
    }),
    execute: ({ ids, instants, workspaceId }) => sql`
      UPDATE posts p SET slot_at = slot.at FROM unnest(${ids}::uuid[], ${instants}::timestamptz[]) AS slot (id, at)
      WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = slot.id AND p.scheduled_at = slot.at`
  })

  return {
    findPlanned: (workspaceId, ids) =>
      find({ workspaceId, ids }).pipe(
        withDatabaseTimeout("reading planned posts"),
        Effect.withSpan("Repo.queues.findPlanned")
      ),
    holdSlots: (workspaceId, slots) =>
      hold({ workspaceId, ids: slots.map(({ id }) => id), instants: slots.map(({ at }) => at) }).pipe(
        withDatabaseTimeout("holding slots"),
        Effect.withSpan("Repo.queues.holdSlots")
      )
  } satisfies PlannedPosts
})
