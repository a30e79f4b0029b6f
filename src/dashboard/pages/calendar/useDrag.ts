import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"

export interface DragOptions {
  /** False for a post that stays a plain button. */
  readonly canDrag: (id: string) => boolean
  /** `target` is the value of `data-drop`. */
  readonly onDrop: (id: string, target: string) => void
  readonly onRefused: (id: string) => void
}

/** In pixels. Less is a click. */
const threshold = 5
/** In milliseconds. A finger that moves earlier scrolls. */
const holdMillis = 280
/** The distance from an edge at which a drag scrolls, in pixels. */
const scrollEdge = 40
/** The milliseconds to scroll a sixth of the view, a week of the month: slow enough to follow. */
const scrollMillis = 400
/** The most milliseconds that a frame makes up for. */
const longestFrame = 50

interface Drag {
  readonly id: string
  readonly source: HTMLElement
  readonly pointerId: number
  readonly startX: number
  readonly startY: number
  x: number
  y: number
  ghost: HTMLElement | undefined
  over: HTMLElement | undefined
  hold: ReturnType<typeof setTimeout> | undefined
  frame: number
  /** The last time that it could scroll, on the clock of frames. */
  scrolledAt: number
  /** The fraction left to scroll: browsers scroll by whole pixels. */
  rest: number
}

const makeGhost = (source: HTMLElement): HTMLElement => {
  const { height, width } = source.getBoundingClientRect()
  const ghost = document.createElement("div")
  ghost.className = "calendar-ghost"
  ghost.setAttribute("aria-hidden", "true")
  ghost.append(source.cloneNode(true))
  ghost.style.width = `${Math.min(width, 260)}px`
  ghost.style.height = `${height}px`
  document.body.append(ghost)
  return ghost
}

const nearestAt = (x: number, y: number, selector: string): HTMLElement | undefined =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>(selector) ?? undefined

const markOver = (drag: Drag) => {
  const over = nearestAt(drag.x, drag.y, "[data-drop]")
  if (over === drag.over) return
  drag.over?.removeAttribute("data-over")
  over?.setAttribute("data-over", "")
  drag.over = over
}

const scrollAtEdge = (drag: Drag, at: number) => {
  const millis = Math.min(at - drag.scrolledAt, longestFrame)
  drag.scrolledAt = at
  // Also over an area that takes no drop, such as a line between two weeks.
  const area = nearestAt(drag.x, drag.y, "[data-scrolls]")
  if (area === undefined) return
  const { bottom, height, top } = area.getBoundingClientRect()
  const direction = drag.y < top + scrollEdge ? -1 : drag.y > bottom - scrollEdge ? 1 : 0
  const wanted = direction === 0 ? 0 : drag.rest + (direction * millis * height) / 6 / scrollMillis
  const step = Math.trunc(wanted)
  drag.rest = wanted - step
  area.scrollBy(0, step)
}

const follow = (drag: Drag, at: number) => {
  drag.ghost?.style.setProperty("transform", `translate(${drag.x + 8}px, ${drag.y + 8}px) rotate(1deg)`)
  markOver(drag)
  scrollAtEdge(drag, at)
  drag.frame = requestAnimationFrame((next) => {
    follow(drag, next)
  })
}

const begin = (drag: Drag) => {
  clearTimeout(drag.hold)
  drag.ghost = makeGhost(drag.source)
  drag.source.setAttribute("data-dragged", "")
  document.documentElement.setAttribute("data-dragging", "")
  drag.scrolledAt = performance.now()
  follow(drag, drag.scrolledAt)
}

const finish = (drag: Drag) => {
  clearTimeout(drag.hold)
  cancelAnimationFrame(drag.frame)
  drag.ghost?.remove()
  drag.over?.removeAttribute("data-over")
  drag.source.removeAttribute("data-dragged")
  document.documentElement.removeAttribute("data-dragging")
}

const swallow = (event: Event) => {
  event.preventDefault()
  event.stopPropagation()
}

const swallowClick = () => {
  window.addEventListener("click", swallow, { capture: true, once: true })
  setTimeout(() => {
    window.removeEventListener("click", swallow, { capture: true })
  }, 0)
}

/**
 * Drags elements with `data-drag` onto `data-drop`, by mouse, pen and touch. A drag renders nothing: the element under
 * the pointer gets `data-over`.
 */
export const useDrag = (root: RefObject<HTMLElement | null>, options: DragOptions) => {
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    const element = root.current
    if (element === null) return
    let drag: Drag | undefined

    const keepFromScrolling = (event: TouchEvent) => {
      if (drag?.ghost !== undefined) event.preventDefault()
    }

    const end = () => {
      if (drag !== undefined) finish(drag)
      drag?.source.removeEventListener("touchmove", keepFromScrolling)
      drag = undefined
    }

    const down = (event: PointerEvent) => {
      if (event.button !== 0 || !event.isPrimary || !(event.target instanceof Element)) return
      const source = event.target.closest<HTMLElement>("[data-drag]")
      const id = source?.getAttribute("data-drag")
      if (source === null || id === null || id === undefined) return
      end()
      const { clientX: x, clientY: y, pointerId } = event
      const next: Drag = {
        id,
        source,
        pointerId,
        startX: x,
        startY: y,
        x,
        y,
        ghost: undefined,
        over: undefined,
        hold: undefined,
        frame: 0,
        scrolledAt: 0,
        rest: 0
      }
      drag = next
      // Listens on the source: its touch events reach nothing else once it scrolls out of the document.
      source.addEventListener("touchmove", keepFromScrolling, { passive: false })
      if (event.pointerType === "touch" && latest.current.canDrag(id)) {
        next.hold = setTimeout(() => {
          begin(next)
        }, holdMillis)
      }
    }

    const move = (event: PointerEvent) => {
      if (drag === undefined || event.pointerId !== drag.pointerId) return
      drag.x = event.clientX
      drag.y = event.clientY
      if (drag.ghost !== undefined) return
      if (Math.hypot(drag.x - drag.startX, drag.y - drag.startY) < threshold) return
      if (event.pointerType === "touch") end()
      else if (latest.current.canDrag(drag.id)) begin(drag)
      else {
        latest.current.onRefused(drag.id)
        end()
      }
    }

    const up = (event: PointerEvent) => {
      if (drag === undefined || event.pointerId !== drag.pointerId) return
      const { ghost, id } = drag
      if (ghost !== undefined) {
        drag.x = event.clientX
        drag.y = event.clientY
        markOver(drag)
        const target = drag.over?.getAttribute("data-drop")
        swallowClick()
        end()
        if (target !== null && target !== undefined) latest.current.onDrop(id, target)
      } else end()
    }

    const cancelByKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || drag?.ghost === undefined) return
      event.preventDefault()
      event.stopPropagation()
      end()
    }
    const keepFromMenu = (event: Event) => {
      if (drag?.ghost !== undefined || drag?.hold !== undefined) event.preventDefault()
    }

    element.addEventListener("pointerdown", down)
    element.addEventListener("contextmenu", keepFromMenu)
    element.addEventListener("touchmove", keepFromScrolling, { passive: false })
    window.addEventListener("pointermove", move)
    window.addEventListener("pointerup", up)
    window.addEventListener("pointercancel", end)
    window.addEventListener("blur", end)
    window.addEventListener("keydown", cancelByKey, { capture: true })
    return () => {
      end()
      element.removeEventListener("pointerdown", down)
      element.removeEventListener("contextmenu", keepFromMenu)
      element.removeEventListener("touchmove", keepFromScrolling)
      window.removeEventListener("pointermove", move)
      window.removeEventListener("pointerup", up)
      window.removeEventListener("pointercancel", end)
      window.removeEventListener("blur", end)
      window.removeEventListener("keydown", cancelByKey, { capture: true })
    }
  }, [root])
}
