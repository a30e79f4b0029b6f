import type { SqlClient } from "effect/sql"

/**
 * For people who are told once of a matter, which the notification itself marks as told. Until the surrounding
 * transaction ends, no other process looks for what is untold. A lock of rows is not enough: a process whose statement
 * began before the other one committed does not see the other's notification.
 */
export const lockTold = (sql: SqlClient.SqlClient, type: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`told/${type}`}, 0))`
