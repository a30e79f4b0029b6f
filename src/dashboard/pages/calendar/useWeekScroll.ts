import type { RefObject } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { drawnWeeks, rowHeightIn, weeksAround, weeksInView, weeksShown } from "./weeks.ts"

/** Pixels of all days. In a narrower view, a post has no space for a word next to its time. */
const tightWidth = 7 * 124
/** Weeks are loaded once scrolling pauses for this many milliseconds. */
const pause = 100

/** The height that the weeks have below the head; 0 until it is measured. */
const useRoom = (scroller: RefObject<HTMLElement | null>, body: RefObject<HTMLElement | null>) => {
  const [height, setHeight] = useState(0)
  const [isTight, setTight] = useState(false)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      setHeight(element.clientHeight - (body.current?.offsetTop ?? 0))
      setTight(element.clientWidth < tightWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { height, isTight }
}

/** In the result, `height` is that of a row. */
export const useWeekScroll = (jump: MonthWeeks["jump"], onSettled: MonthWeeks["onSettled"]) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const { height, isTight } = useRoom(scroller, body)
  const [top, setTop] = useState(jump.to)
  /** The number of weeks in view, including those partly in view. */
  const [count, setCount] = useState(weeksShown)
  /** The week at the top, with a fraction. It stays when the window is resized. */
  const position = useRef(jump.to)
  const settled = useRef(onSettled)
  settled.current = onSettled
  const isMeasured = height > 0
  const rowHeight = rowHeightIn(height)
  const rows = height / rowHeight
  const { after, before, first, last } = drawnWeeks(top, count)

  useLayoutEffect(() => {
    body.current?.style.setProperty("padding-block", `${before * rowHeight}px ${after * rowHeight}px`)
    body.current?.style.setProperty("--row", `${rowHeight}px`)
  }, [before, after, rowHeight])

  const place = () => {
    if (!isMeasured) return
    setTop(weeksInView(position.current, rows).top)
    setCount(weeksInView(0, rows).bottom + 1)
    scroller.current?.scrollTo(0, (position.current + weeksAround) * rowHeight)
  }
  useLayoutEffect(() => {
    position.current = jump.to
    place()
  }, [jump])
  useLayoutEffect(place, [height])

  // A new height scrolls the view before `useEffect` runs. With the old height, that would look like a scroll of many
  // weeks.
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || !isMeasured) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = () => {
      position.current = element.scrollTop / rowHeight - weeksAround
      const inView = weeksInView(position.current, rows)
      setTop(inView.top)
      clearTimeout(timer)
      timer = setTimeout(() => settled.current(inView.top, inView.bottom), pause)
    }
    element.addEventListener("scroll", follow, { passive: true })
    return () => {
      clearTimeout(timer)
      element.removeEventListener("scroll", follow)
    }
  }, [isMeasured, height, rowHeight])

  return { scroller, body, first, last, isTight, height: isMeasured ? rowHeight : 0 }
}
