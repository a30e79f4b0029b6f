import { Effect, Schema } from "effect"
import { savedTables } from "./tables.ts"

/** The backup or restore can't be done; nothing was changed. `message` is one line for the operator. */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", { message: Schema.String }) {}

/**
 * A backup is gzip-compressed text: a header, the mark of each table followed by its rows, and an end. A row is a JSON
 * object by column name, as PostgreSQL's `row_to_json` writes it. Every other line is a JSON array.
 */
const formatVersion = 1

const Header = Schema.Tuple([
  Schema.Literal("social-publisher backup"),
  Schema.Struct({
    version: Schema.Int,
    migration: Schema.Int,
    /**
     * The database's time; anything committed or published later may be missing. While publishing is held, this is
     * instead the time of the backup that was restored.
     */
    taken_at: Schema.DateTimeUtcFromString
  })
])
export type Header = (typeof Header.Type)[1]

const TableMark = Schema.Tuple([
  Schema.Literal("table"),
  Schema.Struct({ name: Schema.Literals(savedTables), columns: Schema.Array(Schema.String) })
])
export type TableMark = (typeof TableMark.Type)[1]

const End = Schema.Tuple([
  Schema.Literal("end"),
  Schema.Struct({
    rows: Schema.Int,
    /** Hexadecimal, of the text before this line. */
    sha256: Schema.String
  })
])
export type End = (typeof End.Type)[1]

const Mark = Schema.fromJsonString(Schema.Union([Header, TableMark, End]))

const encode = Schema.encodeSync(Mark)

export const headerLine = (header: Omit<Header, "version">): string =>
  encode(["social-publisher backup", { ...header, version: formatVersion }])
export const tableLine = (table: TableMark): string => encode(["table", table])
export const endLine = (end: End): string => encode(["end", end])

export const isRow = (line: string): boolean => line.startsWith("{")

export const notABackup = new BackupError({ message: "This is not a backup of this service, or it is damaged" })

export const readMark = (line: string) =>
  Schema.decodeEffect(Mark)(line).pipe(
    Effect.mapError(() => notABackup),
    Effect.filterOrFail(
      (mark) => mark[0] !== "social-publisher backup" || mark[1].version === formatVersion,
      () =>
        new BackupError({
          message: "The backup was made by a newer version of the service; restore it with that version"
        })
    )
  )
