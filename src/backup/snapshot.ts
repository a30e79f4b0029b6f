import { type DateTime, Effect, Option, Ref, Schema, Stream } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { createHash } from "node:crypto"
import type { Progress } from "../domain/progress.ts"
import { Timestamp } from "../repo/postgres/rows.ts"
import { endLine, headerLine, isRow, tableLine } from "./format.ts"
import { type SavedTable, savedTables } from "./tables.ts"

const batchSize = 200

const findMigration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { migration } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ migration: Schema.Int }),
    execute: () => sql`SELECT max(migration_id) AS migration FROM migrations`
  })(undefined)
  return migration
})

/** Waits for a running migration, so no transaction may be open. */
export const currentMigration = Effect.catchTag(findMigration, "NoSuchElementError", Effect.die)

const beginSnapshot = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
  // A migration that starts now waits, and retries until the backup ends.
  yield* sql.unsafe(`LOCK TABLE ${savedTables.join(", ")} IN ACCESS SHARE MODE`)
  return yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ takenAt: Timestamp, knownUntil: Timestamp }),
    // The transaction's time precedes its snapshot, so that nothing falls between the two. While publishing is held,
    // everything sent since the restored backup is unknown here too.
    execute: () => sql`SELECT now() AS "takenAt",
      least(now(), (SELECT taken_at FROM publishing_state WHERE held_since IS NOT NULL)) AS "knownUntil"`
  })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
})

const QueryPlan = Schema.Struct({
  "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Schema.Struct({ "Plan Rows": Schema.Finite }) })])
})

/** The planner's estimate, which reads no rows. */
const estimateRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { "QUERY PLAN": plan } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: QueryPlan,
    execute: () =>
      sql.unsafe(`EXPLAIN (FORMAT JSON) ${savedTables.map((table) => `SELECT 1 FROM ${table}`).join(" UNION ALL ")}`)
  })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
  return plan[0].Plan["Plan Rows"]
})

const Columns = Schema.Struct({ columns: Schema.Array(Schema.String) })
const RowLine = Schema.Struct({ line: Schema.String })

const tableLines = (table: SavedTable) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { columns } = yield* SqlSchema.findOne({
        Request: Schema.String,
        Result: Columns,
        execute: (name) => sql`
          SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute
          WHERE attrelid = ${name}::regclass AND attnum > 0 AND NOT attisdropped`
      })(table).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
      const cursor = sql(`rows_of_${table}`)
      yield* sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT row_to_json(saved)::text AS line FROM ${sql(table)} saved`
      const fetch = SqlSchema.findAll({
        Request: Schema.Void,
        Result: RowLine,
        execute: () => sql`FETCH ${sql.literal(String(batchSize))} FROM ${cursor}`
      })
      const rows = Stream.paginate(undefined, () =>
        Effect.map(fetch(undefined), (batch) => [
          batch.map(({ line }) => line),
          batch.length < batchSize ? Option.none() : Option.some(undefined)
        ])
      )
      return Stream.concat(Stream.make(tableLine({ name: table, columns })), rows)
    })
  )

export interface Snapshot {
  readonly takenAt: DateTime.Utc
  readonly rows: number
}

/** Must run first in its transaction. Reads rows only as fast as they are consumed, and sets `snapshot` at the end. */
export const snapshotText = (
  migration: number,
  snapshot: Ref.Ref<Option.Option<Snapshot>>,
  report: (progress: Progress) => void
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { knownUntil, takenAt } = yield* beginSnapshot
      const total = yield* estimateRows
      const hash = createHash("sha256")
      let count = 0
      const countRow = (line: string) => {
        hash.update(line).update("\n")
        if (isRow(line)) count++
        report({ _tag: "Amount", title: "Backing up", done: count, total, isTotalEstimated: true, unit: "rows" })
        return line
      }
      const end = Stream.fromEffect(
        Effect.gen(function* () {
          yield* Ref.set(snapshot, Option.some({ takenAt, rows: count }))
          return endLine({ rows: count, sha256: hash.digest("hex") })
        })
      )
      return Stream.make(headerLine({ migration, taken_at: knownUntil })).pipe(
        Stream.concat(Stream.flatMap(Stream.fromIterable(savedTables), tableLines)),
        Stream.map(countRow),
        Stream.concat(end),
        Stream.map((line) => `${line}\n`)
      )
    })
  )
