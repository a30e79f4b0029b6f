import { Schema } from "effect"

export const Timestamp = Schema.DateTimeUtcFromDate

/** Null is tried first, because the time's schema takes microseconds to refuse it. */
export const NullableTimestamp = Schema.Union([Schema.Null, Timestamp])

export const JsonTime = Schema.DateTimeUtcFromString

export const NullableJsonTime = Schema.Union([Schema.Null, JsonTime])

/** A `timestamptz` in JSON's form: a text, comparable with other texts. */
export const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
