import { DateTime, Duration, Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { Instant } from "../instant.ts"
import { type IssueMeaning, withMeaning } from "../issueCodes.ts"

export const schedulingHorizon = Duration.days(180)
/** Clocks differ and requests take time, so a time that has just passed counts as now. */
export const pastTolerance = Duration.minutes(5)

export interface TimeFault {
  readonly message: string
  readonly meaning: Extract<IssueMeaning, { readonly code: "time_past" | "time_too_far" }>
}

const horizonDays = Duration.toDays(schedulingHorizon)

const tooFar: TimeFault = {
  message: `Expected a time at most ${horizonDays} days ahead`,
  meaning: { code: "time_too_far", facts: { limit: horizonDays } }
}

const past: TimeFault = {
  message: `Expected a time that is not past by more than ${Duration.toMinutes(pastTolerance)} minutes`,
  meaning: { code: "time_past" }
}

export const checkPostTime = (requested: DateTime.Utc, now: DateTime.Utc): Result.Result<DateTime.Utc, TimeFault> => {
  if (DateTime.isGreaterThan(requested, DateTime.addDuration(now, schedulingHorizon))) {
    return Result.fail(tooFar)
  }
  return DateTime.isLessThan(requested, DateTime.subtractDuration(now, pastTolerance))
    ? Result.fail(past)
    : Result.succeed(requested)
}

/** Checked while decoding, so that all wrong fields are reported together. */
export const PostTime = Instant.pipe(
  Schema.decode({
    decode: SchemaGetter.checkEffect((time) =>
      Effect.map(DateTime.now, (now) =>
        Result.match(checkPostTime(time, now), {
          onFailure: ({ meaning, message }) => new SchemaIssue.InvalidValue({ message, ...withMeaning(meaning) }),
          onSuccess: () => undefined
        })
      )
    ),
    encode: SchemaGetter.passthrough()
  })
)
