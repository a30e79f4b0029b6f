import { dayMillis, startOfDay } from "../../ui/time/time.ts"
import { type Span, startOfWeek } from "./range.ts"

/** How many weeks the month shows at once, and how many can be scrolled to before and after the first. */
export const weeksShown = 6
export const weeksAround = 156

/** How many weeks one request loads: what the month shows at first, and a row more. */
const weeksInBlock = 7
/** Of so many blocks posts are kept at once. A month touches two. */
export const maxBlocks = 3

/** The beginning of a week, counted from another one. */
export const weekAt = (base: Date, index: number): Date => startOfDay(base, index * 7)

/** The number of the week that a day is in, counted from another one. */
export const weekIndex = (base: Date, day: Date): number =>
  Math.round((startOfWeek(day).getTime() - base.getTime()) / (7 * dayMillis))

export interface Block extends Span {
  /** In which place it is kept: blocks beside each other have different ones. */
  readonly slot: number
}

/** The blocks whose posts are needed for weeks, both inclusive. */
export const blocksOf = (base: Date, first: number, last: number): ReadonlyArray<Block> => {
  const from = Math.floor(first / weeksInBlock)
  const count = Math.min(maxBlocks, Math.floor(last / weeksInBlock) - from + 1)
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset
    return {
      slot: ((index % maxBlocks) + maxBlocks) % maxBlocks,
      from: weekAt(base, index * weeksInBlock),
      to: weekAt(base, (index + 1) * weeksInBlock)
    }
  })
}
