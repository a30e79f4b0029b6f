import { DateTime, Option } from "effect"
import { instantOfWall, makeReadOffset } from "./plain/timeZone.ts"
import { findTimeZone } from "./timeZoneName.ts"

const hourMillis = 60 * 60 * 1000
const dayMillis = 24 * hourMillis

/**
 * The next time at which the zone's clocks show the hour. An hour that clocks skip is as much later as they skip; of
 * one that comes twice, the first counts. A zone that this process does not know counts as UTC.
 */
export const nextHour = (now: DateTime.Utc, hour: number, timeZone: string | null): DateTime.Utc => {
  const known = timeZone === null ? Option.none() : findTimeZone(timeZone)
  const read = makeReadOffset(Option.match(known, { onNone: () => "UTC", onSome: ({ id }) => id }))
  const at = now.epochMilliseconds
  const today = Math.floor((at + read(at)) / dayMillis) * dayMillis
  const first = instantOfWall(read, today + hour * hourMillis)
  return DateTime.makeUnsafe(first > at ? first : instantOfWall(read, today + dayMillis + hour * hourMillis))
}
