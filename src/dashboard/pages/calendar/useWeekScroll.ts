import type { RefObject } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { makeRows, type WeekCounts, weeksInView } from "./monthRows.ts"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { drawnWeeks, weeksShown } from "./weeks.ts"

/** Weeks are loaded once scrolling pauses for this many milliseconds. */
const pause = 100

/** The height that the weeks have below the head; 0 until it is measured. */
const useRoom = (scroller: RefObject<HTMLElement | null>, body: RefObject<HTMLElement | null>) => {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => setHeight(element.clientHeight - (body.current?.offsetTop ?? 0))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return height
}

/** The week at the top of the view, and the part of it that is above the view. */
interface Position {
  readonly week: number
  readonly part: number
}

interface WeekScrollOptions {
  readonly jump: MonthWeeks["jump"]
  readonly counts: WeekCounts
  readonly onSettled: MonthWeeks["onSettled"]
}

/** `heightOf` is undefined until the view is measured. */
export const useWeekScroll = ({ counts, jump, onSettled }: WeekScrollOptions) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const height = useRoom(scroller, body)
  const isMeasured = height > 0
  const rows = useMemo(() => makeRows(height, counts), [height, counts])
  const [view, setView] = useState({ first: jump.to, last: jump.to + weeksShown - 1 })
  /** Stays where it is when the window or a row gets another height. */
  const position = useRef<Position>({ week: jump.to, part: 0 })
  const settled = useRef(onSettled)
  settled.current = onSettled
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { first, last } = drawnWeeks(view.first, view.last)
  const before = rows.topOf(first)
  const after = rows.topOf(Infinity) - rows.topOf(last + 1)

  useLayoutEffect(() => {
    body.current?.style.setProperty("padding-block", `${before}px ${after}px`)
  }, [before, after])

  const show = (top: number) => {
    const next = weeksInView(rows, top, height)
    setView((shown) => (shown.first === next.first && shown.last === next.last ? shown : next))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => settled.current(next.first, next.last), pause)
  }
  const place = () => {
    if (!isMeasured) return
    const { part, week } = position.current
    const top = Math.round(rows.topOf(week) + part * rows.heightOf(week))
    show(top)
    const element = scroller.current
    if (element !== null && Math.abs(element.scrollTop - top) >= 1) element.scrollTop = top
  }
  useLayoutEffect(() => {
    position.current = { week: jump.to, part: 0 }
    place()
  }, [jump])
  useLayoutEffect(place, [rows])
  useLayoutEffect(() => () => clearTimeout(timer.current), [])

  // A new height scrolls the view before `useEffect` runs. With the old height, that would look like a scroll of many
  // weeks.
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || !isMeasured) return
    const follow = () => {
      const week = rows.at(element.scrollTop)
      position.current = { week, part: (element.scrollTop - rows.topOf(week)) / rows.heightOf(week) }
      show(element.scrollTop)
    }
    element.addEventListener("scroll", follow, { passive: true })
    return () => element.removeEventListener("scroll", follow)
  }, [isMeasured, rows])

  return { scroller, body, first, last, heightOf: isMeasured ? rows.heightOf : undefined }
}
