import type { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { counted } from "../../domain/counted.ts"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type Part, withProgress } from "../../domain/progress.ts"
import { dedicatedConnectionLayer } from "./dedicatedConnection.ts"
import { mapDatabaseErrors } from "./databaseErrors.ts"
import { type ConcurrentIndex, indexes } from "./indexes.ts"

/** A concurrent build waits for every earlier transaction, and blocks no reads or writes while it waits. */
const limits = { statement: Duration.hours(6), lockWait: Duration.zero, idleTransaction: Duration.minutes(1) }

const lockKey = 7_310_001

const IndexRow = Schema.Struct({ name: Schema.String, valid: Schema.Boolean })

const findIndexes = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: IndexRow,
    execute: (request) => sql`
      SELECT class.relname AS name, index.indisvalid AND index.indisready AS valid
      FROM pg_index index JOIN pg_class class ON class.oid = index.indexrelid
      WHERE class.relname = ANY(${request}::text[]) AND class.relnamespace = current_schema()::regnamespace`
  })(names)
})

const findIncomplete = Effect.fnUntraced(function* (wanted: ReadonlyArray<ConcurrentIndex>) {
  const found = yield* findIndexes(wanted.map(({ name }) => name))
  const complete = new Set(found.filter(({ valid }) => valid).map(({ name }) => name))
  return wanted.filter(({ name }) => !complete.has(name))
})

/**
 * Polls for the lock: a waiting statement would keep a transaction open, and the build that holds the lock would wait
 * for it.
 */
const acquireLock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ acquired: Schema.Boolean }),
    execute: () => sql`SELECT pg_try_advisory_lock(${lockKey}) AS acquired`
  })(undefined).pipe(
    Effect.catchTag("NoSuchElementError", Effect.die),
    Effect.repeat({ until: ({ acquired }) => acquired, schedule: Schedule.spaced("1 second") })
  )
})

const build = Effect.fn("buildIndex")(function* ({ definition, name, unique }: ConcurrentIndex) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.annotateCurrentSpan("index", name)
  yield* sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql(name)}`
  yield* sql.unsafe(`CREATE ${unique ? "UNIQUE " : ""}INDEX CONCURRENTLY ${name} ${definition}`)
  yield* Effect.logDebug(`The index ${name} is built`)
})

const BuildPhase = Schema.Struct({ phase: Schema.String, percent: Schema.NullOr(Schema.Int) })

/** For example `building index: scanning table 43%`. */
const describePhase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const row = yield* SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: BuildPhase,
    execute: () => sql`
      SELECT phase, (100 * coalesce(blocks_done::numeric / nullif(blocks_total, 0),
        tuples_done::numeric / nullif(tuples_total, 0)))::int AS percent
      FROM pg_stat_progress_create_index WHERE datname = current_database() LIMIT 1`
  })(undefined)
  return Option.map(row, ({ percent, phase }) => (percent === null ? phase : `${phase} ${percent}%`))
})

const partOf = (part: number, all: ReadonlyArray<ConcurrentIndex>, detail: string): Part => ({
  _tag: "Part",
  title: "Building index",
  part,
  parts: all.length,
  detail
})

/**
 * One process at a time builds, on its own connection, whose end releases the lock. Blocks no reads or writes. Returns
 * the number built.
 */
export const buildIndexes = Effect.fn("buildIndexes")(function* (wanted: ReadonlyArray<ConcurrentIndex>) {
  const missing = yield* findIncomplete(wanted)
  if (missing.length === 0) return 0
  return yield* withProgress((report) =>
    Effect.gen(function* () {
      let current = partOf(1, missing, "waiting for another process that builds indexes")
      // Uses the pool, because the building connection is busy. A failure here does not fail the build.
      const watch = Effect.map(describePhase, (phase) =>
        report(Option.isSome(phase) ? { ...current, detail: `${current.detail}, ${phase.value}` } : current)
      )
      yield* watch.pipe(Effect.ignore, Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
      const buildMissing = Effect.gen(function* () {
        yield* acquireLock
        const incomplete = yield* findIncomplete(wanted)
        for (const [position, index] of incomplete.entries()) {
          current = partOf(position + 1, incomplete, index.name)
          report(current)
          yield* build(index)
        }
        return incomplete.length
      })
      const built = yield* Effect.provide(buildMissing, dedicatedConnectionLayer(limits))
      yield* Effect.logInfo(`${counted(built, "index", "indexes")} built`)
      return built
    })
  )
})

export class Indexes extends Context.Service<
  Indexes,
  {
    readonly build: Effect.Effect<number, DatabaseUnavailable>
  }
>()("social-publisher/repo/Indexes") {
  static readonly layer = Layer.effect(
    Indexes,
    Effect.map(Effect.context<PgClient.PgClient | SqlClient.SqlClient>(), (context) =>
      Indexes.of({
        build: buildIndexes(indexes).pipe(Effect.provideContext(context), mapDatabaseErrors("building indexes"))
      })
    )
  )
}
