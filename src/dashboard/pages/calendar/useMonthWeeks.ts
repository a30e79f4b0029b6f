import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { setQuery } from "../../shared/router.tsx"
import { dayKey } from "../../ui/time/day.ts"
import { startOfDay } from "../../ui/time/time.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { startOfWeek, weeksOf } from "./range.ts"
import { blocksOf, weekAt, weekIndex, weeksAround, weeksShown } from "./weeks.ts"

/** Where the month is scrolled to, in weeks from its base. */
export interface MonthWeeks {
  readonly base: Date
  /** The week to scroll to, and how often that was asked for. */
  readonly jump: { readonly to: number; readonly count: number }
  /** Told where a person has scrolled to, once they pause. */
  readonly onSettled: (first: number, last: number) => void
}

/**
 * The weeks of the month view: the week of a day stands in the second row, and the address follows what is scrolled to, so that a
 * step back leads there.
 */
export const useMonthWeeks = (day: Date) => {
  const times = timeSettings.get()
  const [opening, setOpening] = useState(day)
  const base = useMemo(() => startOfDay(startOfWeek(opening), -7), [opening, times])
  const wanted = weekIndex(base, day) - 1
  const [shown, setShown] = useState({ first: wanted, last: wanted + weeksShown - 1 })
  const [jump, setJump] = useState({ to: wanted, count: 0 })
  /** The week that the address is known to name. */
  const named = useRef(wanted)
  const goTo = (to: number) => {
    named.current = to
    setShown({ first: to, last: to + weeksShown - 1 })
    setJump(({ count }) => ({ to, count: count + 1 }))
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
  const weeks: MonthWeeks = {
    base,
    jump,
    onSettled: (from, to) => {
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
    /** Shows the week of a day, also where it is shown in part already. */
    show: (next: Date) => {
      const to = weekIndex(base, next) - 1
      if (Math.abs(to) <= weeksAround - weeksShown) goTo(to)
    }
  }
}
