import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { embeddedPostgres } from "../../../src/embeddedPostgres/embeddedPostgres.ts"
import { buildIndexes } from "../../../src/repo/postgres/buildIndexes.ts"
import { indexes } from "../../../src/repo/postgres/indexes.ts"
import { migrate } from "../../../src/repo/postgres/migrations.ts"
import { repoLayer } from "../../chaos/support/world.ts"

/** The number of a benchmark's own statements that run concurrently. */
export const databaseConnections = 2

/** A separate, durable embedded PostgreSQL with an empty database. */
export const startEmptyDatabase = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "benchmark-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  const { url } = yield* embeddedPostgres({ dataDir })
  const lockFile = yield* Effect.promise(() => readFile(path.join(dataDir, "postgres/data/postmaster.pid"), "utf8"))
  const sql = yield* PgClient.make({ url, maxConnections: databaseConnections }).pipe(Effect.provide(Reactivity.layer))
  return { url, sql, postmaster: Number.parseInt(lockFile, 10) }
})

export type Database = Effect.Success<typeof startEmptyDatabase>

/** The same with the service's migrated database. */
export const startDatabase = Effect.tap(startEmptyDatabase, ({ url }) =>
  Effect.andThen(migrate, buildIndexes(indexes)).pipe(Effect.provide(repoLayer(url)))
)

/** The environment variable that tells scripts the database. */
export const databaseEnv = ({ url }: Database) => ({ DATABASE_URL: Redacted.value(url) })

/** Runs statements one after another without the service's own timeouts. Returns the rows of the last statement. */
export const runSql = Effect.fnUntraced(function* ({ sql }: Database, ...statements: ReadonlyArray<string>) {
  const results = yield* Effect.forEach(statements, (statement) => Effect.orDie(sql.unsafe<object>(statement)))
  return results.at(-1) ?? []
})
