import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { connectionsOf } from "./database.ts"

/** Null means no limit. */
const Limits = Schema.Struct({
  /** Excludes the connections that the server reserves. */
  server: Schema.Int,
  role: Schema.NullOr(Schema.Int),
  database: Schema.NullOr(Schema.Int),
  /** Excludes this process. */
  others: Schema.Int
})
export type AllowedConnections = typeof Limits.Type

const findLimits = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Limits,
    execute: () => sql`
      SELECT (SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)::int FROM pg_settings
          WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) AS server,
        nullif(r.rolconnlimit, -1) AS role, nullif(d.datconnlimit, -1) AS database,
        (SELECT count(*)::int FROM processes WHERE lease_until > clock_timestamp()) AS others
      FROM pg_roles r CROSS JOIN pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`
  })(undefined)
})

export const describeShortage = (
  { database, others, role, server }: AllowedConnections,
  perProcess: number
): string | undefined => {
  const limits = [
    { most: server, what: "max_connections of PostgreSQL, without those that it reserves" },
    ...(role === null ? [] : [{ most: role, what: "the CONNECTION LIMIT of the role" }]),
    ...(database === null ? [] : [{ most: database, what: "the CONNECTION LIMIT of the database" }])
  ]
  const [lowest] = limits.toSorted((left, right) => left.most - right.most)
  const processes = others + 1
  if (lowest === undefined || lowest.most >= processes * perProcess) return undefined
  return `This process may open up to ${perProcess} connections to PostgreSQL, which allows ${lowest.most} (${lowest.what}): enough for ${Math.floor(lowest.most / perProcess)} processes, and ${processes} run with this one. A process that gets no connection publishes nothing. Raise the limit to ${(processes + 1) * perProcess}, which leaves room for one that starts while another stops`
}

/** With a pooler only direct connections count. */
export const warnOfFewConnections = Effect.fnUntraced(function* (hasPooler: boolean) {
  const shortage = describeShortage(yield* findLimits, connectionsOf(hasPooler).direct)
  if (shortage !== undefined) yield* Effect.logWarning(shortage)
})
