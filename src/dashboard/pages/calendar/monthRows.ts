import { weeksAround, weeksShown } from "./weeks.ts"

/** Pixels, as in chip.css and month.css: a chip with its gap, by its lines of text below the line of its time. */
const chipHeights = { 1: 40, 2: 56 } as const
export type ChipLines = keyof typeof chipHeights
/** The head of a day with the space below its chips, and the button for the posts that have no room. */
const headHeight = 32
const moreHeight = 24

interface DayFit {
  /** The number of posts that have room. */
  readonly shown: number
  readonly lines: ChipLines
}

/**
 * Gives posts two lines of text if all fit so, and else one. If even so not all fit, those in a narrow column get two
 * lines, because one would show a single word.
 */
export const fitDay = (count: number, height: number, isNarrow = false): DayFit => {
  const room = height - headHeight
  if (count * chipHeights[2] <= room) return { shown: count, lines: 2 }
  if (count * chipHeights[1] <= room) return { shown: count, lines: 1 }
  // The last line shows the number of posts that do not fit.
  const lines = isNarrow ? 2 : 1
  return { shown: Math.max(0, Math.floor((room - moreHeight) / chipHeights[lines])), lines }
}

interface RowBounds {
  /** A week that is not loaded, and every week if none needs more. */
  readonly usual: number
  readonly least: number
  /** At least three weeks are in view. */
  readonly most: number
}

export const boundsIn = (height: number): RowBounds => ({
  usual: Math.max(104, Math.floor(height / weeksShown)),
  least: Math.max(64, Math.floor(height / 7)),
  most: Math.max(headHeight + 2 * chipHeights[2], Math.floor(height / 3))
})

/** The height that a week needs whose fullest day has this many posts. */
export const neededHeight = (count: number, { least, most }: RowBounds): number => {
  const wanted = ([2, 1] as const).map((lines) => headHeight + count * chipHeights[lines]).find((each) => each <= most)
  if (wanted !== undefined) return Math.max(least, wanted)
  return headHeight + fitDay(count, most).shown * chipHeights[1] + moreHeight
}

/** The fullest day of each loaded week, by the week's index. */
export type WeekCounts = ReadonlyMap<number, number>

interface Rows {
  readonly heightOf: (index: number) => number
  /** The pixels above a week. `weeksAround + 1` is the end. */
  readonly topOf: (index: number) => number
  /** The week at this many pixels. */
  readonly at: (y: number) => number
}

/** The rows of all weeks. The empty ones give way once a week needs more than its share of the view. */
export const makeRows = (height: number, counts: WeekCounts): Rows => {
  const bounds = boundsIn(height)
  const isFull = Array.from(counts.values()).some((count) => neededHeight(count, bounds) > bounds.usual)
  const heightOf = (index: number): number => {
    const count = counts.get(index)
    return count === undefined || !isFull ? bounds.usual : neededHeight(count, bounds)
  }
  const tops = [0]
  for (let index = -weeksAround; index <= weeksAround; index++) tops.push((tops.at(-1) ?? 0) + heightOf(index))
  const topOf = (index: number): number => tops[Math.max(0, Math.min(tops.length - 1, index + weeksAround))] ?? 0
  return {
    heightOf,
    topOf,
    at: (y) => {
      const next = tops.findIndex((top) => top > y)
      return next === -1 ? weeksAround : Math.max(0, next - 1) - weeksAround
    }
  }
}

/** Rows with fractional heights may overlap the view by less than this many pixels. */
const tolerance = 3

/** The weeks in view, including those partly in view. */
export const weeksInView = ({ at }: Rows, top: number, height: number) => ({
  first: at(top + tolerance),
  last: Math.max(at(top + tolerance), at(top + height - tolerance))
})
