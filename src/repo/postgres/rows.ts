import { Schema } from "effect"

/** A `timestamptz` column or parameter. */
export const Timestamp = Schema.DateTimeUtcFromDate

/** A `timestamptz` column or parameter that may be null. Null comes first: a time takes microseconds to refuse one. */
export const NullableTimestamp = Schema.Union([Schema.Null, Timestamp])

/** A time within JSON. */
export const JsonTime = Schema.DateTimeUtcFromString

/** A time within JSON that may be null. */
export const NullableJsonTime = Schema.Union([Schema.Null, JsonTime])

/** A `timestamptz` as JSON has a time, as SQL: a text, which may be compared with one that is no time. */
export const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
