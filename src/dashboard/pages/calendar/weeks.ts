import { dayMillis, startOfDay } from "../../ui/time/time.ts"
import { type Span, startOfWeek } from "./range.ts"

/** The weeks shown together, and the weeks to scroll to before and after the first. */
export const weeksShown = 6
export const weeksAround = 156

/** The weeks of one request: the first view of the month, and one row more. */
const weeksInBlock = 7
/** The most blocks that are kept. A month overlaps two. */
export const maxBlocks = 3

export const weekAt = (base: Date, index: number): Date => startOfDay(base, index * 7)

export const weekIndex = (base: Date, day: Date): number =>
  Math.round((startOfWeek(day).getTime() - base.getTime()) / (7 * dayMillis))

export interface Block extends Span {
  /** The place of its posts. Neighbors have different slots. */
  readonly slot: number
}

/** `first` and `last` are inclusive. */
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
