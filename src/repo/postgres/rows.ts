import { Schema } from "effect"

/** A `timestamptz` column or parameter. */
export const Timestamp = Schema.DateTimeUtcFromDate

/** A `timestamptz` column or parameter that may be null. */
export const NullableTimestamp = Schema.NullOr(Timestamp)
