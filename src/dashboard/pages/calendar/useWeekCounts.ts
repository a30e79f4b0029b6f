import { useMemo, useRef } from "preact/hooks"
import { parseDay } from "../../ui/time/day.ts"
import type { WeekCounts } from "./monthRows.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"
import { weekIndex, weeksInBlock } from "./weeks.ts"

/** Weeks keep their counts while they are not loaded, so that no row changes its height out of view. */
export const useWeekCounts = (base: Date, { byDay, loadedBlocks }: CalendarPosts): WeekCounts => {
  const known = useRef<{ readonly base: Date; readonly counts: WeekCounts }>({ base, counts: new Map() })
  return useMemo(() => {
    const counts = new Map(known.current.base === base ? known.current.counts : [])
    for (const { from } of loadedBlocks) {
      const first = weekIndex(base, from)
      for (let index = first; index < first + weeksInBlock; index++) counts.set(index, 0)
    }
    for (const [key, posts] of byDay) {
      const day = parseDay(key)
      const index = day === undefined ? undefined : weekIndex(base, day)
      const before = index === undefined ? undefined : counts.get(index)
      if (index !== undefined && before !== undefined) counts.set(index, Math.max(before, posts.length))
    }
    known.current = { base, counts }
    return counts
  }, [base, byDay, loadedBlocks])
}
