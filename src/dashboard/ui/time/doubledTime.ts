import { instantOfWall } from "../../../domain/plain/timeZone.ts"
import { dayMillis } from "./time.ts"
import { shownOffset } from "./zone.ts"

const minuteMillis = 60_000
const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Such as `UTC+05:30`. */
export const formatOffset = (offset: number): string => {
  const minutes = Math.round(Math.abs(offset) / minuteMillis)
  return `UTC${offset < 0 ? "−" : "+"}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

interface DoubledTime {
  readonly at: string
  /** Such as `UTC+01:00`. */
  readonly offset: string
}

const timeOf = (instant: number): DoubledTime => ({
  at: new Date(instant).toISOString(),
  offset: formatOffset(shownOffset(instant))
})

/** Both instants of a time whose wall time comes twice, because clocks go back; undefined for any other time. */
export const doubledTime = (at: string): readonly [DoubledTime, DoubledTime] | undefined => {
  const time = Date.parse(at)
  const wall = time + shownOffset(time)
  const first = instantOfWall(shownOffset, wall)
  const second = wall - shownOffset(wall + dayMillis)
  if (!(second > first) || shownOffset(second) !== wall - second) return undefined
  return [timeOf(first), timeOf(second)]
}
