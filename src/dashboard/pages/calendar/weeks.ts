import { dayMillis, startOfDay } from "../../ui/time/time.ts"
import { type Span, startOfWeek } from "./range.ts"

/** The weeks in view, and the weeks that people can scroll to before and after the first. */
export const weeksShown = 6
export const weeksAround = 156

/** One request loads the weeks that a month first shows, and one more. */
const weeksInBlock = 7
/** The most blocks that are kept. A month view overlaps at most two. */
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

/** Pixels: the head of a day and three posts. */
const minRowHeight = 104
/** Weeks drawn beyond each edge of the view. */
const margin = 1
/**
 * A row counts as in view if at least this fraction of it is. Rows with fractional heights may overlap the view by
 * less.
 */
const least = 0.02

/** The height of a row in pixels, in a view of this height. */
export const rowHeightIn = (height: number): number => Math.max(minRowHeight, Math.floor(height / weeksShown))

/** `position` is the week at the top, with a fraction; `rows` is the view's height in weeks. */
export const weeksInView = (position: number, rows: number) => ({
  top: Math.floor(position + least),
  bottom: Math.ceil(position + rows - least) - 1
})

/** The weeks to draw. `before` and `after` count the weeks that only keep their space. */
export const drawnWeeks = (top: number, count: number) => {
  const first = Math.max(-weeksAround, top - margin)
  const last = Math.min(weeksAround, top + count - 1 + margin)
  return { first, last, before: first + weeksAround, after: weeksAround - last }
}
