import type { RefObject } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"

export interface VisibleRows {
  readonly first: number
  /** The index after the last row. */
  readonly last: number
}

export interface VisibleRowsOptions {
  readonly count: number
  /** In pixels. */
  readonly rowHeight: number
}

/** Rows drawn beyond each edge of the view. The range also moves in steps of this size. */
const margin = 10

const scrollerOf = (list: HTMLElement): HTMLElement => list.closest("main") ?? document.documentElement

/** The top of the list within the scroller, in pixels. */
const offsetOf = (list: HTMLElement): number => {
  const scroller = scrollerOf(list)
  return list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
}

/** Scrolls to a row, as little as needed. */
export const showRow = (list: HTMLElement, index: number, rowHeight: number) => {
  const scroller = scrollerOf(list)
  const top = offsetOf(list) + index * rowHeight
  if (top < scroller.scrollTop) scroller.scrollTo(0, top - rowHeight)
  else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight) {
    scroller.scrollTo(0, top + rowHeight * 2 - scroller.clientHeight)
  }
}

const measure = (list: HTMLElement, { count, rowHeight }: VisibleRowsOptions): VisibleRows => {
  const scroller = scrollerOf(list)
  const before = scroller.scrollTop - offsetOf(list)
  const start = Math.floor(before / rowHeight / margin) * margin
  const rows = Math.ceil(scroller.clientHeight / rowHeight)
  const first = Math.min(Math.max(0, start - margin), Math.max(0, count - 1))
  return { first, last: Math.min(count, Math.max(0, start) + rows + margin * 2) }
}

/** The rows to draw. The list keeps its full height. */
export const useVisibleRows = (list: RefObject<HTMLElement | null>, options: VisibleRowsOptions): VisibleRows => {
  const { count, rowHeight } = options
  const [rows, setRows] = useState<VisibleRows>({ first: 0, last: margin * 2 })
  // A layout effect runs before the paint, so that the window is never half empty.
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    const scroller = scrollerOf(element)
    const follow = () => {
      const next = measure(element, { count, rowHeight })
      setRows((before) => (before.first === next.first && before.last === next.last ? before : next))
    }
    follow()
    scroller.addEventListener("scroll", follow, { passive: true })
    window.addEventListener("resize", follow)
    return () => {
      scroller.removeEventListener("scroll", follow)
      window.removeEventListener("resize", follow)
    }
  }, [list, count, rowHeight])
  const first = Math.min(rows.first, count)
  const last = Math.min(rows.last, count)
  useLayoutEffect(() => {
    list.current?.style.setProperty("padding-block", `${first * rowHeight}px ${(count - last) * rowHeight}px`)
  }, [list, first, last, count, rowHeight])
  return { first, last }
}
