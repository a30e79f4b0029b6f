import { dayMillis, startOfDay } from "../../ui/time/time.ts"
import { type Span, startOfWeek } from "./range.ts"

/** The weeks shown together, and the weeks to scroll to before and after the first. */
export const weeksShown = 6
export const weeksAround = 156

/** The weeks of one request: the month's first view, and another row. */
const weeksInBlock = 7
/** The most blocks that are kept. A month overlaps two blocks. */
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

/** In pixels: a day's head and three posts. */
const minRowHeight = 104
/** Weeks drawn beyond the view. */
const margin = 1
/** The smallest fraction of a row that counts as in view. Rows with fractional heights overlap the view by less. */
const least = 0.02

/** In pixels, for a view of this height. */
export const rowHeightIn = (height: number): number => Math.max(minRowHeight, Math.floor(height / weeksShown))

/** The weeks in view, both inclusive. `position` is the top of the view in fractional weeks, `rows` its height. */
export const weeksInView = (position: number, rows: number) => ({
  top: Math.floor(position + least),
  bottom: Math.ceil(position + rows - least) - 1
})

/** The weeks to draw, and the space for the weeks before and after them. */
export const drawnWeeks = (top: number, count: number) => {
  const first = Math.max(-weeksAround, top - margin)
  const last = Math.min(weeksAround, top + count - 1 + margin)
  return { first, last, before: first + weeksAround, after: weeksAround - last }
}
