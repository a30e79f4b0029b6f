import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"

/** The service's statements call this function instead of PostgreSQL's, whose schema comes later on the search path. */
const shadow = (database: string) => [
  "CREATE SCHEMA simulated",
  "CREATE TABLE simulated.clock (now timestamptz NOT NULL)",
  "INSERT INTO simulated.clock VALUES ('epoch')",
  `CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT now FROM simulated.clock'`,
  `ALTER DATABASE "${database}" SET search_path = simulated, pg_catalog, public`
]

/** A Repo and its clients on a fresh database. A test sets what `clock_timestamp()` returns. */
export const simulatedClockLayer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(shadow(new URL(Redacted.value(url)).pathname.slice(1)), (statement) => sql.unsafe(statement), {
        discard: true
      })
    ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    return repoOf(url)
  })
)

/** In milliseconds since 1970. */
export const setDatabaseClock = (millis: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE simulated.clock SET now = ${new Date(millis).toISOString()}::timestamptz`
  )
