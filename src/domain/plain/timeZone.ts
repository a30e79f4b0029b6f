/** A zone's offset from UTC at an instant, in milliseconds. */
export type ReadOffset = (at: number) => number

const dayMillis = 24 * 60 * 60 * 1000

/** By the rules of this program's `Intl`. Throws a RangeError for an unknown zone. */
export const makeReadOffset = (timeZone: string): ReadOffset => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
  return (at) => {
    const [, sign, hours, minutes, seconds = "0"] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(at)) ?? []
    if (hours === undefined || minutes === undefined) return 0
    const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
    return (sign === "-" ? -size : size) * 1000
  }
}

/** A zone's offsets from `from` until `until`, as data: programs can know different rules of one zone. */
export interface ZoneRules {
  readonly name: string
  readonly from: number
  readonly until: number
  /** Instants and the offsets from then on, the earliest first. The first instant is `from`. */
  readonly offsets: ReadonlyArray<readonly [at: number, offset: number]>
}

/** Shorter than any time between two changes: in October 2040, Gaza's clocks change twice within seven days. */
const step = 6 * dayMillis

/** The first second with a later offset, by halving. */
const findChange = (read: ReadOffset, before: number, after: number): number => {
  const former = read(before)
  let [low, high] = [before, after]
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000
    if (read(middle) === former) low = middle
    else high = middle
  }
  return high
}

/** In short steps, because thousands of offsets are formatted. */
export function* zoneRuleSteps(name: string, from: number, until: number): Generator<void, ZoneRules> {
  const read = makeReadOffset(name)
  const offsets: Array<readonly [number, number]> = [[from, read(from)]]
  for (let at = from; at < until; at += step) {
    yield
    const next = Math.min(at + step, until)
    if (read(next) === read(at)) continue
    const change = findChange(read, at, next)
    offsets.push([change, read(change)])
  }
  return { name, from, until, offsets }
}

/** Undefined outside the rules' years. */
export const offsetOf = ({ from, offsets, until }: ZoneRules, at: number): number | undefined => {
  if (!(at >= from && at < until)) return undefined
  let [low, high] = [0, offsets.length]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((offsets[middle]?.[0] ?? until) <= at) low = middle
    else high = middle
  }
  return offsets[low]?.[1]
}

/**
 * The instant of a wall time, which is given as if it were in UTC. A wall time that clocks skip is as much later as
 * they skip; of one that comes twice, the first instant counts.
 */
export const instantOfWall = (read: ReadOffset, wall: number): number => {
  const before = read(wall - dayMillis)
  const after = read(wall + dayMillis)
  const [first, second] = [wall - before, wall - after]
  return read(first) !== before && read(second) === after ? second : first
}
