import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync } from "node:fs"
import initial from "../../../migrations/0001_initial.ts"
import { migrate } from "../../../src/repo/postgres/migrations.ts"
import { buildIndexes } from "../../../src/repo/postgres/buildIndexes.ts"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { indexes } from "../../../src/repo/postgres/indexes.ts"
import { repeatConcurrently } from "../../support/database/duePosts.ts"
import { emptyDatabase } from "../../support/database/testDatabase.ts"
import { recordProgress } from "../../support/recordProgress.ts"

/** A new database without tables. */
const databaseWithoutTables = Layer.unwrap(Effect.map(emptyDatabase, databaseLayer)).pipe(Layer.merge(Logger.layer([])))

/** Applies only the first migration, as in the previous version's database. */
const applyFirstMigration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE migrations (migration_id integer PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(), name text NOT NULL)`
  yield* initial
  yield* sql`INSERT INTO migrations (migration_id, name) VALUES (1, 'initial')`
})

const appliedMigrations = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly migration_id: number }>`SELECT migration_id FROM migrations ORDER BY migration_id`
)

const validIndexes = Effect.fn(function* (pattern: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly valid: boolean }>`
    SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
    WHERE indexrelid::regclass::text LIKE ${pattern} ORDER BY 1`
  return rows.map(({ name, valid }) => [name, valid] as const)
})

/** Holds a lock on a table, as a statement in a long transaction does, until the latch opens. */
const holdLock = Effect.fn(function* (table: string, mode: string) {
  const sql = yield* SqlClient.SqlClient
  const locked = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      sql
        .unsafe(`LOCK TABLE ${table} IN ${mode} MODE`)
        .pipe(Effect.andThen(Deferred.succeed(locked, undefined)), Effect.andThen(Deferred.await(release)))
    )
  )
  yield* Deferred.await(locked)
  return { release: Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holder)) }
})

/** Waits until a session waits for a lock on a table. */
const awaitWaiter = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM pg_locks WHERE NOT granted AND relation = ${table}::regclass`.pipe(
      Effect.repeat({ until: (rows) => rows.length > 0 })
    )
  )

describe("migrate", () => {
  it.live(
    "A start waits for a transaction that holds a lock on a table to be changed, while others use the table",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* applyFirstMigration
        const { release } = yield* holdLock("post_targets", "ROW EXCLUSIVE")
        const started = yield* Effect.forkChild(migrate)
        yield* awaitWaiter("post_targets")
        // Each statement waits behind the migration until the migration gives up its lock; after four seconds the
        // statement would time out.
        yield* Effect.repeat(sql`SELECT FROM post_targets`, { times: 1 })
        yield* release
        yield* Fiber.join(started)
        assert.deepInclude(yield* appliedMigrations, { migration_id: 2 })
      }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("Two starts at once apply each migration once, and build each index once", () =>
    Effect.gen(function* () {
      const runs = yield* repeatConcurrently(3, Effect.all([migrate, buildIndexes(indexes)]))
      const applied = runs.map(([{ migrations }]) => migrations)
      const built = runs.map(([, count]) => count)
      const all = (yield* appliedMigrations).length
      assert.deepStrictEqual(
        applied.toSorted((left, right) => left - right),
        [0, 0, all]
      )
      assert.deepStrictEqual(
        built.toSorted((left, right) => left - right),
        [0, 0, indexes.filter(({ unique }) => !unique).length]
      )
      assert.deepStrictEqual(yield* validIndexes("post_targets_maybe_sent"), [["post_targets_maybe_sent", true]])
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("A start reports which of the pending migrations it applies", () =>
    Effect.gen(function* () {
      yield* applyFirstMigration
      const pending = readdirSync(new URL("../../../migrations", import.meta.url))
        .toSorted()
        .slice(1)
      const applying = yield* recordProgress((last) => Effect.map(migrate, () => last()))
      const [detail = ""] = pending.map((file) => file.replace(".ts", "")).slice(-1)
      const { length } = pending
      const unique = indexes.filter((index) => index.unique)
      assert.deepStrictEqual(applying, [
        { _tag: "Part", title: "Applying migration", part: length, parts: length, detail },
        ...unique.map(({ name }, index) => ({
          _tag: "Part" as const,
          title: "Building index",
          part: index + 1,
          parts: unique.length,
          detail: name
        }))
      ])
      assert.deepStrictEqual(yield* recordProgress((last) => Effect.map(migrate, () => last())), [undefined])
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("Every file of migrations is applied", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      const rows = yield* sql<{
        readonly file: string
      }>`SELECT to_char(migration_id, 'FM0000_') || name || '.ts' AS file
        FROM migrations ORDER BY migration_id`
      assert.deepStrictEqual(
        rows.map(({ file }) => file),
        readdirSync(new URL("../../../migrations", import.meta.url)).toSorted()
      )
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("A start does not wait for an index that only makes statements faster", () =>
    Effect.gen(function* () {
      yield* migrate
      assert.deepStrictEqual(yield* validIndexes("post_targets_maybe_sent"), [])
    }).pipe(Effect.provide(databaseWithoutTables))
  )
})

describe("buildIndexes", () => {
  const slow = { name: "rows_slow", definition: "ON rows (slowly(id))", unique: false }

  const makeRows = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE rows (id integer NOT NULL)`
    yield* sql`INSERT INTO rows SELECT * FROM generate_series(1, 2) UNION ALL SELECT 1`
    yield* sql`CREATE FUNCTION slowly(id integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
      $$ BEGIN PERFORM pg_sleep(1.8); RETURN id; END $$`
  })

  it.live("An index whose build takes longer than a request's statement may is built while rows are written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* makeRows
      const building = yield* Effect.forkChild(buildIndexes([slow]))
      yield* sql`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0 })
      )
      yield* sql`DELETE FROM rows WHERE id = 2`
      yield* Fiber.join(building)
      assert.deepStrictEqual(yield* validIndexes("rows_slow"), [["rows_slow", true]])
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("A build reports which index it builds, and what PostgreSQL does for it", () =>
    Effect.gen(function* () {
      yield* makeRows
      const quick = { name: "rows_quick", definition: "ON rows (id)", unique: false }
      yield* recordProgress((last) =>
        Effect.gen(function* () {
          const building = yield* Effect.forkChild(buildIndexes([quick, slow]))
          const part = yield* Effect.repeat(
            Effect.sync(() => last()[0]),
            { until: (progress) => progress?._tag === "Part" && progress.detail.includes(", ") }
          )
          assert.deepInclude(part, { title: "Building index", part: 2, parts: 2 })
          assert.match(JSON.stringify(part), /"rows_slow, building index: scanning table( \d+%)?"/)
          assert.strictEqual(yield* Fiber.join(building), 2)
        })
      )
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("A build that waits for another process says so", () =>
    Effect.gen(function* () {
      yield* makeRows
      const [first, second] = yield* Effect.all([
        Effect.forkChild(buildIndexes([slow])),
        recordProgress((last) =>
          Effect.gen(function* () {
            yield* Effect.repeat(validIndexes("rows_slow"), { until: (found) => found.length > 0 })
            const building = yield* Effect.forkChild(buildIndexes([slow]))
            const part = yield* Effect.repeat(
              Effect.sync(() => last()[0]),
              { until: (progress) => progress?._tag === "Part" && progress.detail.includes(", ") }
            )
            assert.match(JSON.stringify(part), /"waiting for another process that builds indexes, building index/)
            return yield* Fiber.join(building)
          })
        )
      ])
      assert.deepStrictEqual([yield* Fiber.join(first), second], [1, 0])
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("An invalid index that a failed build left behind is dropped and built again", () =>
    Effect.gen(function* () {
      yield* makeRows
      const unique = { name: "rows_id", definition: "ON rows (id)", unique: true }
      const failed = yield* Effect.flip(buildIndexes([unique]))
      assert.strictEqual(failed._tag, "SqlError")
      assert.deepStrictEqual(yield* validIndexes("rows_id"), [["rows_id", false]])
      yield* buildIndexes([{ ...unique, unique: false }])
      assert.deepStrictEqual(yield* validIndexes("rows_id"), [["rows_id", true]])
    }).pipe(Effect.provide(databaseWithoutTables))
  )

  it.live("Processes that start at once build an index one after the other, and the later ones find it built", () =>
    Effect.gen(function* () {
      yield* makeRows
      const index = { name: "rows_id", definition: "ON rows (id)", unique: false }
      yield* repeatConcurrently(3, buildIndexes([index]))
      assert.deepStrictEqual(yield* validIndexes("rows_id%"), [["rows_id", true]])
    }).pipe(Effect.provide(databaseWithoutTables))
  )
})
