import type { SqlClient, Statement } from "effect/sql"

/**
 * Converts a process's time to the database's clock, which may differ by minutes. A wait keeps its length; a time due
 * now is due by both clocks. A clock hours behind belongs to a test, whose claims use it too.
 */
export const onDatabaseClock = (sql: SqlClient.SqlClient, at: Statement.Fragment, now: Statement.Fragment) => sql`(CASE
  WHEN ${at} <= ${now} THEN least(${at}, clock_timestamp())
  WHEN ${now} < clock_timestamp() - interval '1 hour' THEN ${at}
  ELSE ${at} + (clock_timestamp() - ${now}) END)`
