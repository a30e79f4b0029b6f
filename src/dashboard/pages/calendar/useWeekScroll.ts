import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { weeksAround, weeksShown } from "./weeks.ts"

/** The least height of a week, in pixels: the head of a day and three posts. */
const minHeight = 104
/** Of all days together, in pixels: a chip has no place for a word beside its time where they have less. */
const tightWidth = 7 * 124
/** How many weeks beyond the view are drawn. */
const margin = 1
/** How long a person pauses before what is in view is loaded, in milliseconds. */
const pause = 100

/** The least part of a row that counts as in view: where rows have no whole pixels, one is shown by less. */
const least = 0.02

/** The weeks near the view of a scroller whose rows are all as high as `height`. */
export const useWeekScroll = (jump: MonthWeeks["jump"], onSettled: MonthWeeks["onSettled"]) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  const [isTight, setTight] = useState(false)
  const [top, setTop] = useState(jump.to)
  /** How many weeks are in view at once, the last one perhaps in part. */
  const [count, setCount] = useState(weeksShown)
  /** Where the view begins, in weeks and parts of one; it stays where the window gets another size. */
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

  // In the layout, as what places the view at another height makes it scroll before effects run: by the former height it would be
  // taken for a scroll of many weeks.
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
