import { DateTime, Effect, Ref } from "effect"
import * as limits from "./limits.ts"

const { uploadsPerDay } = limits

/** The uploads of a day at which the operator is told: four fifths of the quota, and then its end. */
const told: ReadonlySet<number> = new Set([Math.floor(uploadsPerDay * 0.8), uploadsPerDay])

/** Google counts a day from midnight in California. */
const inCalifornia = (now: DateTime.Utc) => DateTime.setZoneNamedUnsafe(now, "America/Los_Angeles")

const dayOf = (now: DateTime.Utc): string => DateTime.formatIsoDate(inCalifornia(now))

/** The end of the day for which the quota is. */
export const nextDay = (now: DateTime.Utc): DateTime.Utc =>
  inCalifornia(now).pipe(DateTime.startOf("day"), DateTime.add({ days: 1 }), DateTime.toUtc)

/**
 * Counts the uploads that this process has begun on a day, and warns the operator before the application's quota is
 * used up. Other processes count their own.
 */
export const makeUploadCount = Effect.map(Ref.make({ day: "", count: 0 }), (counted) =>
  Effect.gen(function* () {
    const day = dayOf(yield* DateTime.now)
    const { count } = yield* Ref.updateAndGet(counted, (last) => ({
      day,
      count: last.day === day ? last.count + 1 : 1
    }))
    if (!told.has(count)) return
    yield* Effect.logWarning(
      `YouTube: this process has begun ${count} of the ${uploadsPerDay} uploads that the application has on ${day} in California. Ask Google for a larger quota if that is too few`
    )
  })
)
export type UploadCount = Effect.Success<typeof makeUploadCount>
