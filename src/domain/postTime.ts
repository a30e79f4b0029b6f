import { DateTime, Duration, Effect, Schema, SchemaGetter } from "effect"
import { Instant } from "./instant.ts"

/** How far ahead a post may be scheduled. */
const schedulingHorizon = Duration.days(180)
/** How far past a given time may be and still count as now. */
const lateness = Duration.minutes(5)

/** Why a post can't be given a time; undefined where it can. */
export const refusalOfTime = (time: DateTime.Utc, now: DateTime.Utc): string | undefined => {
  if (DateTime.isGreaterThan(time, DateTime.addDuration(now, schedulingHorizon))) {
    return "Expected a time at most 180 days ahead"
  }
  return DateTime.isLessThan(time, DateTime.subtractDuration(now, lateness))
    ? "Expected a time that is not past by more than 5 minutes"
    : undefined
}

/** A time that a post can be given now: told as it is read, beside whatever else is wrong with a request. */
export const PostTime = Instant.pipe(
  Schema.decode({
    decode: SchemaGetter.checkEffect((time) => Effect.map(DateTime.now, (now) => refusalOfTime(time, now))),
    encode: SchemaGetter.passthrough()
  })
)
