import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { weeksAround, weeksShown } from "./weeks.ts"

/** In pixels: a day's head and three posts. */
const minHeight = 104
/** The width of all days, in pixels. Below this, a chip has no room for a word next to its time. */
const tightWidth = 7 * 124
/** Weeks drawn beyond the view. */
const margin = 1
/** In milliseconds, before the weeks in view are loaded. */
const pause = 100

/** The fraction of a row that counts as in view. Rows with fractional heights overlap the view by less. */
const least = 0.02

/** All rows are `height` high. */
export const useWeekScroll = (jump: MonthWeeks["jump"], onSettled: MonthWeeks["onSettled"]) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  const [isTight, setTight] = useState(false)
  const [top, setTop] = useState(jump.to)
  /** Includes a partial last one. */
  const [count, setCount] = useState(weeksShown)
  /** The top of the view, in fractional weeks. It stays when the window is resized. */
  const position = useRef(jump.to)
  const settled = useRef(onSettled)
  settled.current = onSettled

  const heightOf = () => (scroller.current?.clientHeight ?? 0) - (body.current?.offsetTop ?? 0)
  const rowHeight = Math.max(minHeight, Math.floor(height / weeksShown))

  useLayoutEffect(() => {
    if (scroller.current === null) return
    const measure = () => {
      setHeight(heightOf())
      setTight((scroller.current?.clientWidth ?? 0) < tightWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current)
    return () => {
      observer.disconnect()
    }
  }, [])

  const isMeasured = height > 0
  const first = Math.max(-weeksAround, top - margin)
  const last = Math.min(weeksAround, top + count - 1 + margin)
  useLayoutEffect(() => {
    body.current?.style.setProperty(
      "padding-block",
      `${(first + weeksAround) * rowHeight}px ${(weeksAround - last) * rowHeight}px`
    )
    body.current?.style.setProperty("--row", `${rowHeight}px`)
  }, [first, last, rowHeight])

  const place = () => {
    if (!isMeasured) return
    setTop(Math.floor(position.current + least))
    setCount(Math.ceil(height / rowHeight - least))
    scroller.current?.scrollTo(0, (position.current + weeksAround) * rowHeight)
  }
  useLayoutEffect(() => {
    position.current = jump.to
    place()
  }, [jump])
  useLayoutEffect(place, [height])

  // A layout effect: a new height scrolls the view before plain effects run. By the former height, it would look like a
  // scroll of many weeks.
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || !isMeasured) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      const from = Math.floor(position.current + least)
      settled.current(from, Math.ceil(position.current + height / rowHeight - least) - 1)
    }
    const follow = () => {
      position.current = element.scrollTop / rowHeight - weeksAround
      setTop(Math.floor(position.current + least))
      clearTimeout(timer)
      timer = setTimeout(settle, pause)
    }
    element.addEventListener("scroll", follow, { passive: true })
    return () => {
      clearTimeout(timer)
      element.removeEventListener("scroll", follow)
    }
  }, [isMeasured, height, rowHeight])

  return { scroller, body, first, last, isTight, height: isMeasured ? rowHeight : 0 }
}
