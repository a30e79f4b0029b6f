import type { SqlClient, Statement } from "effect/sql"

/**
 * A time that a process has counted from `now` of its clock, on the database's clock, which may differ by minutes: a wait is as long as it
 * was meant, and what is due at once is so by both. A clock that is hours behind is a test's, by which claims go as well.
 */
export const onDatabaseClock = (sql: SqlClient.SqlClient, at: Statement.Fragment, now: Statement.Fragment) => sql`(CASE
  WHEN ${at} <= ${now} THEN least(${at}, clock_timestamp())
  WHEN ${now} < clock_timestamp() - interval '1 hour' THEN ${at}
  ELSE ${at} + (clock_timestamp() - ${now}) END)`
