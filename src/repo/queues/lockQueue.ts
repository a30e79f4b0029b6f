import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../domain/ids.ts"

/**
 * Serializes the transactions that take a workspace's slots, and changes of its queue. A transaction takes this lock
 * before any other. An advisory lock, because a workspace may have no queue, and its row is locked for other reasons.
 * Every version must use this lock's name.
 */
export const makeLockQueue = Effect.map(
  SqlClient.SqlClient,
  (sql) => (workspaceId: WorkspaceId) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended('slots/' || ${workspaceId}::uuid, 0))`
)
