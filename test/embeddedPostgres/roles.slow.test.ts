import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path, Redacted, Schema } from "effect"
import { query, start, startTime, temporaryDirectory } from "./servers.ts"

/** The URL with which a role logs in. */
const asRole = (url: Redacted.Redacted, role: string, password: string, database = "postgres") => {
  const changed = new URL(Redacted.value(url))
  changed.username = role
  changed.password = password
  changed.pathname = `/${database}`
  return Redacted.make(changed.href)
}

const passwordOf = (url: Redacted.Redacted) => decodeURIComponent(new URL(Redacted.value(url)).password)

const readSuperuserPassword = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return (yield* fs.readFileString(path.join(dataDir, "postgres", "password"))).trim()
})

const run = (url: Redacted.Redacted, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(PgClient.layer({ url })))

/** Creates the role, the database and a table as the version before does. Returns that version's URL. */
const makeAsBefore = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { url } = yield* start(dataDir)
  const password = yield* readSuperuserPassword(dataDir)
  for (const statement of [
    "DROP DATABASE social_publisher WITH (FORCE)",
    "DROP ROLE social_publisher",
    "DROP ROLE social_publisher_service",
    `CREATE ROLE social_publisher LOGIN CREATEDB PASSWORD '${password}'`,
    "CREATE DATABASE social_publisher OWNER social_publisher"
  ])
    yield* run(asRole(url, "postgres", password), statement)
  yield* fs.remove(path.join(dataDir, "postgres", "service-password"))
  const before = asRole(url, "social_publisher", password, "social_publisher")
  yield* run(before, "CREATE TABLE kept AS SELECT 42 AS answer")
  return before
})

const Answer = Schema.Struct({ answer: Schema.Int })

describe.concurrent("The roles of the embedded PostgreSQL", () => {
  it.live("The service's password is not the superuser's, nor that of the role of the version before", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const { url } = yield* start(dataDir)
      for (const role of ["postgres", "social_publisher"]) {
        const refused = yield* Effect.flip(startTime(asRole(url, role, passwordOf(url))))
        assert.strictEqual(refused._tag === "SqlError" && refused.reason._tag, "AuthenticationError", role)
      }
      yield* startTime(asRole(url, "postgres", yield* readSuperuserPassword(dataDir)))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("Only their owner can read the files with the passwords", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* temporaryDirectory
      yield* start(dataDir)
      for (const name of ["password", "service-password"]) {
        const { mode } = yield* fs.stat(path.join(dataDir, "postgres", name))
        assert.strictEqual(mode & 0o777, 0o600, name)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The service can neither run programs nor read or write the server's files", () =>
    Effect.gen(function* () {
      const { url } = yield* start(yield* temporaryDirectory)
      for (const statement of [
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "COPY (SELECT 1) TO '/tmp/out'",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT lo_import('/etc/passwd')",
        "SET ROLE postgres",
        "ALTER ROLE social_publisher SUPERUSER"
      ]) {
        const refused = yield* Effect.flip(run(url, statement))
        assert.strictEqual(refused.reason._tag, "AuthorizationError", statement)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A database of the version before keeps its data, and that version can still use it and what is added", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const before = yield* Effect.scoped(makeAsBefore(dataDir))
      const { url } = yield* start(dataDir)
      assert.notStrictEqual(passwordOf(url), passwordOf(before))
      assert.deepStrictEqual(yield* query(url, Answer, "SELECT answer FROM kept"), { answer: 42 })
      yield* run(url, "ALTER TABLE kept ADD COLUMN more int")
      yield* run(url, "CREATE TABLE added AS SELECT 43 AS answer")
      assert.deepStrictEqual(yield* query(before, Answer, "SELECT answer FROM added"), { answer: 43 })
      yield* run(before, "ALTER TABLE added ADD COLUMN more int")
      yield* run(before, "CREATE TABLE added_before AS SELECT 44 AS answer")
      yield* run(url, "ALTER TABLE added_before ADD COLUMN more int")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A connection of the version before stays usable while this version starts on its database", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const before = yield* makeAsBefore(dataDir)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`SELECT answer FROM kept`
        const { url } = yield* start(dataDir)
        yield* sql`UPDATE kept SET answer = answer + 1`
        assert.deepStrictEqual(yield* query(url, Answer, "SELECT answer FROM kept"), { answer: 43 })
      }).pipe(Effect.provide(PgClient.layer({ url: before, maxConnections: 1 })))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A start sets the service's password to the one in its file, which a killed start may have left unset", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDir = yield* temporaryDirectory
      yield* Effect.scoped(start(dataDir))
      yield* fs.writeFileString(path.join(dataDir, "postgres", "service-password"), "another one\n")
      const { url } = yield* start(dataDir)
      yield* startTime(url)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
