import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, Predicate, Redacted, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Cluster, readPassword, superuser } from "./cluster.ts"
import { EmbeddedPostgresError } from "./error.ts"
import { findServer, type Server } from "./server.ts"

// The service's role and its database. The role is not a superuser, as on any managed PostgreSQL.
const name = "social_publisher"

const Existing = Schema.Struct({ directory: Schema.String, hasRole: Schema.Boolean, hasDatabase: Schema.Boolean })

/**
 * Returns the URL of the service's database on the server, and creates its role and database where they are missing. Waits while
 * the server starts or recovers. Fails where it refuses the cluster's password or serves another directory.
 */
export const openDatabase = Effect.fnUntraced(function* (cluster: Cluster, server: Server) {
  const password = yield* readPassword(cluster)
  const directory = yield* prepare(cluster, server, password).pipe(
    Effect.mapError(
      (error) =>
        new EmbeddedPostgresError({
          message: `PostgreSQL in ${cluster.dataDir} (process ${server.pid}, port ${server.port}) can't be used with ${cluster.passwordFile}: ${rootMessage(error)}`
        })
    )
  )
  if (directory !== cluster.directory) {
    return yield* new EmbeddedPostgresError({
      message: `Port ${server.port}, which ${cluster.dataDir} names as its PostgreSQL's, belongs to the PostgreSQL in ${directory}; stop both and try again.`
    })
  }
  return Redacted.make(
    `postgres://${name}:${encodeURIComponent(Redacted.value(password))}@127.0.0.1:${server.port}/${name}`
  )
})

const prepare = Effect.fnUntraced(function* (cluster: Cluster, { pid, port }: Server, password: Redacted.Redacted) {
  const connection = yield* PgConnection.make({
    host: "127.0.0.1",
    port,
    username: superuser,
    database: "postgres",
    password
  }).pipe(
    Effect.retry({
      while: ({ reason }) =>
        Effect.map(
          findServer(cluster),
          (current) => reason._tag !== "AuthenticationError" && Option.exists(current, (server) => server.pid === pid)
        ),
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))
    })
  )
  const {
    rows: [row]
  } = yield* connection.query(
    `SELECT current_setting('data_directory') AS directory,
            EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') AS "hasRole",
            EXISTS (SELECT FROM pg_database WHERE datname = '${name}') AS "hasDatabase"`
  )
  const existing = yield* Schema.decodeUnknownEffect(Existing)(row)
  if (!existing.hasRole)
    yield* connection.query(
      `CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${Redacted.value(password).replaceAll("'", "''")}'`
    )
  if (!existing.hasDatabase) yield* connection.query(`CREATE DATABASE ${name} OWNER ${name}`)
  return existing.directory
}, Effect.scoped)

const rootMessage = (error: SqlError | Schema.SchemaError): string =>
  error._tag === "SqlError" && Predicate.isError(error.reason.cause) ? error.reason.cause.message : error.message
