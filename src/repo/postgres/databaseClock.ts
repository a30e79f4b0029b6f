import type { SqlClient, Statement } from "effect/sql"

/**
 * A process's clock may differ from the database's by minutes. A wait keeps its length, and what is due now is due by
 * both. A clock that is hours behind is a test's, and claims go by it too.
 */
export const onDatabaseClock = (sql: SqlClient.SqlClient, at: Statement.Fragment, now: Statement.Fragment) => sql`(CASE
  WHEN ${at} <= ${now} THEN least(${at}, clock_timestamp())
  WHEN ${now} < clock_timestamp() - interval '1 hour' THEN ${at}
  ELSE ${at} + (clock_timestamp() - ${now}) END)`
