import { Schema } from "effect"

/** A `timestamptz` column. */
export const Timestamp = Schema.DateTimeUtcFromDate

/** A `timestamptz` column that may be empty. */
export const NullableTimestamp = Schema.NullOr(Timestamp)
