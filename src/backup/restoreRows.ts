import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import type { Line } from "../domain/splitLines.ts"
import { BackupError, type Header, isRow, notABackup, readMark, type TableMark } from "./format.ts"

/** Characters per INSERT, unless a single row has more. */
const batchLength = 500_000

/** In bytes. The largest rows, of responses and deliveries, have a few megabytes. */
export const longestLine = 64 * 1024 * 1024

const insertRows = Effect.fnUntraced(function* ({ columns, name }: TableMark, rows: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const names = sql.csv(columns.map((column) => sql`${sql(column)}`))
  // Columns that the file lacks get their default, like rows of an older version.
  yield* sql`INSERT INTO ${sql(name)} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${sql(name)}, ${`[${rows.join(",")}]`}::json)`
})

/** Must run in a transaction: only the file's end shows if it is complete. */
export const restoreRows = Effect.fn("restoreRows")(function* <E, R>(
  lines: Stream.Stream<Line, E, R>,
  checkHeader: (header: Header) => Effect.Effect<void, BackupError>
) {
  const hash = createHash("sha256")
  const utf8 = new TextDecoder()
  let header: Header | undefined
  let table: TableMark | undefined
  let ended = false
  let count = 0
  let batch: Array<string> = []
  let length = 0

  const flush = Effect.gen(function* () {
    if (table === undefined || batch.length === 0) return
    yield* insertRows(table, batch)
    batch = []
    length = 0
  })

  const addRow = (line: string) => {
    if (table === undefined) return Effect.fail(notABackup)
    batch.push(line)
    length += line.length
    count++
    return length >= batchLength ? flush : Effect.void
  }

  const addMark = Effect.fnUntraced(function* (line: string) {
    yield* flush
    const [kind, content] = yield* readMark(line)
    if (kind !== "social-publisher backup" && header === undefined) return yield* notABackup
    switch (kind) {
      case "social-publisher backup":
        yield* checkHeader(content)
        header = content
        return
      case "table":
        table = content
        return
      case "end":
        ended = true
        if (content.rows !== count || content.sha256 !== hash.digest("hex")) return yield* notABackup
    }
  })

  yield* Stream.runForEachArray(
    lines,
    Effect.fnUntraced(function* (some) {
      for (const bytes of some) {
        if (ended || bytes === "too long") return yield* notABackup
        const line = utf8.decode(bytes)
        yield* isRow(line) ? addRow(line) : addMark(line)
        if (!ended) hash.update(line).update("\n")
      }
    })
  )
  if (!ended || header === undefined) {
    return yield* new BackupError({ message: "The backup ends too early: it was cut off" })
  }
  return { header, rows: count }
})
