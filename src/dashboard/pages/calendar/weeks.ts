import { dayMillis, startOfDay } from "../../ui/time/time.ts"
import { type Span, startOfWeek } from "./range.ts"

/** The weeks in view, and the weeks that people can scroll to before and after the first. */
export const weeksShown = 6
export const weeksAround = 156

/** One request loads the weeks that a month first shows, and one more. */
export const weeksInBlock = 7
/** The most blocks that are kept. A month view of at most nine weeks overlaps no more. */
export const maxBlocks = 3

export const weekAt = (base: Date, index: number): Date => startOfDay(base, index * 7)

export const weekIndex = (base: Date, day: Date): number =>
  Math.round((startOfWeek(day).getTime() - base.getTime()) / (7 * dayMillis))

export interface Block extends Span {
  /** The index of the hook that holds the block's posts. Neighboring blocks have different slots. */
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

/** Weeks drawn beyond each edge of the view. */
const margin = 1

/** The weeks to draw around those in view. */
export const drawnWeeks = (first: number, last: number) => ({
  first: Math.max(-weeksAround, first - margin),
  last: Math.min(weeksAround, last + margin)
})
