import { Effect, Schema } from "effect"

const Occurrence = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

/** Distinguishes an intended second call from a repetition. Absent and 1 are the same call. */
export const occurrence = Occurrence.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))

/** The same, as tools list it. */
export const listedOccurrence = Schema.optionalKey(Occurrence).annotateKey({
  description:
    "1 by default. The same call within 24 hours has no second effect; to repeat it anyway, increase this number."
})
