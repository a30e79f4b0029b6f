import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, Predicate, Redacted, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Cluster, readPassword, readServicePassword, superuser } from "./cluster.ts"
import { EmbeddedPostgresError } from "./error.ts"
import { findServer, type Server } from "./server.ts"

const database = "social_publisher"

// Owns the database and everything in it. Not a superuser, as on any managed PostgreSQL.
const service = "social_publisher_service"

// The previous version's role, which shares the superuser's password. It acts as the service's role, so that both
// versions own the same tables and the previous version can be started again.
const previous = "social_publisher"

const Existing = Schema.Struct({
  directory: Schema.String,
  hasService: Schema.Boolean,
  hasPrevious: Schema.Boolean,
  hasDatabase: Schema.Boolean
})

/**
 * The database's URL. Creates its roles and database if they are missing. Waits while the server starts or recovers.
 * Fails if the server refuses the cluster's password or serves another directory.
 */
export const openDatabase = Effect.fnUntraced(function* (cluster: Cluster, server: Server) {
  const passwords = { superuser: yield* readPassword(cluster), service: yield* readServicePassword(cluster) }
  const directory = yield* prepare(cluster, server, passwords).pipe(
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
    `postgres://${service}:${encodeURIComponent(Redacted.value(passwords.service))}@127.0.0.1:${server.port}/${database}`
  )
})

interface Passwords {
  readonly superuser: Redacted.Redacted
  readonly service: Redacted.Redacted
}

const prepare = Effect.fnUntraced(function* (cluster: Cluster, { pid, port }: Server, passwords: Passwords) {
  const connection = yield* PgConnection.make({
    host: "127.0.0.1",
    port,
    username: superuser,
    database: "postgres",
    password: passwords.superuser
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
            EXISTS (SELECT FROM pg_roles WHERE rolname = '${service}') AS "hasService",
            EXISTS (SELECT FROM pg_roles WHERE rolname = '${previous}') AS "hasPrevious",
            EXISTS (SELECT FROM pg_database WHERE datname = '${database}') AS "hasDatabase"`
  )
  const existing = yield* Schema.decodeUnknownEffect(Existing)(row)
  if (existing.directory !== cluster.directory) return existing.directory
  const statements = [
    ...(existing.hasService ? [] : createRoles(existing, passwords)),
    // May differ from the stored password: an earlier start may have been killed before this, or the file was removed.
    `ALTER ROLE ${service} PASSWORD ${quote(passwords.service)}`
  ]
  for (const statement of ["BEGIN", ...statements, "COMMIT"]) yield* connection.query(statement)
  if (!existing.hasDatabase) yield* connection.query(`CREATE DATABASE ${database} OWNER ${service}`)
  return existing.directory
}, Effect.scoped)

// A renamed role keeps what it owns. Renaming locks no tables, and open connections stay valid.
const createRoles = ({ hasPrevious }: typeof Existing.Type, passwords: Passwords): ReadonlyArray<string> => [
  hasPrevious ? `ALTER ROLE ${previous} RENAME TO ${service}` : `CREATE ROLE ${service} LOGIN CREATEDB`,
  `CREATE ROLE ${previous} LOGIN IN ROLE ${service} PASSWORD ${quote(passwords.superuser)}`,
  `ALTER ROLE ${previous} SET role = ${service}`
]

const quote = (secret: Redacted.Redacted): string => `'${Redacted.value(secret).replaceAll("'", "''")}'`

const rootMessage = (error: SqlError | Schema.SchemaError): string =>
  error._tag === "SqlError" && Predicate.isError(error.reason.cause) ? error.reason.cause.message : error.message
