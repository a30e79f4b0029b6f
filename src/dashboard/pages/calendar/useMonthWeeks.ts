import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { setQuery } from "../../shared/router.tsx"
import { dayKey } from "../../ui/time/day.ts"
import { startOfDay } from "../../ui/time/time.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { startOfWeek, weeksOf } from "./range.ts"
import { blocksOf, weekAt, weekIndex, weeksAround, weeksShown } from "./weeks.ts"

/** The day's week is in the second row. The address follows the scroll position, so that Back returns to it. */
export const useMonthWeeks = (day: Date) => {
  const times = timeSettings.get()
  const [opening, setOpening] = useState(day)
  /** The first day of week 0. */
  const base = useMemo(() => startOfDay(startOfWeek(opening), -7), [opening, times])
  const wanted = weekIndex(base, day) - 1
  const [shown, setShown] = useState({ first: wanted, last: wanted + weeksShown - 1 })
  // A new object for each jump, so that a second jump to the same week also scrolls.
  const [jump, setJump] = useState({ to: wanted })
  const named = useRef(wanted)
  const goTo = (to: number) => {
    named.current = to
    setShown({ first: to, last: to + weeksShown - 1 })
    setJump({ to })
  }
  useLayoutEffect(() => {
    if (wanted === named.current) return
    if (Math.abs(wanted) > weeksAround - weeksShown) {
      setOpening(day)
      goTo(0)
    } else goTo(wanted)
  }, [wanted])

  const { first, last } = shown
  const range = useMemo(() => weeksOf(weekAt(base, first), last - first + 1), [base, first, last])
  const blocks = useMemo(() => blocksOf(base, first, last), [base, first, last])
  const weeks = {
    base,
    jump,
    /** Called when scrolling pauses. */
    onSettled: (from: number, to: number) => {
      setShown((before) => (before.first === from && before.last === to ? before : { first: from, last: to }))
      if (from === named.current) return
      named.current = from
      const second = weekAt(base, from + 1)
      const isThisWeek = dayKey(second) === dayKey(startOfWeek(new Date()))
      setQuery({ date: isThisWeek ? undefined : dayKey(second) })
    }
  }
  return {
    range,
    blocks,
    weeks,
    /** Scrolls to a day even if its week is partly in view. */
    show: (next: Date) => {
      const to = weekIndex(base, next) - 1
      if (Math.abs(to) <= weeksAround - weeksShown) goTo(to)
    }
  }
}

export type MonthWeeks = ReturnType<typeof useMonthWeeks>["weeks"]
