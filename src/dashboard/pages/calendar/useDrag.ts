import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { dragIntent, edgeScroll } from "./dragIntent.ts"

export interface DragOptions {
  readonly canDrag: (id: string) => boolean
  /** `target` is the value of `data-drop`. */
  readonly onDrop: (id: string, target: string) => void
  readonly onRefused: (id: string) => void
}

/** A finger has to rest this many milliseconds to start a drag. If it moves sooner, it scrolls. */
const holdMillis = 280
interface Drag {
  readonly id: string
  readonly source: HTMLElement
  readonly pointerId: number
  readonly isTouch: boolean
  readonly startX: number
  readonly startY: number
  x: number
  y: number
  ghost: HTMLElement | undefined
  over: HTMLElement | undefined
  hold: ReturnType<typeof setTimeout> | undefined
  frame: number
  /** The time of the last frame that could scroll. */
  scrolledAt: number
  /** The fraction of a pixel that `edgeScroll` left. */
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
  const millis = at - drag.scrolledAt
  drag.scrolledAt = at
  // Scrolls even over a place that accepts no drop, such as the names of the weekdays.
  const area = nearestAt(drag.x, drag.y, "[data-scrolls]")
  if (area === undefined) return
  const { rest, step } = edgeScroll({ y: drag.y, area: area.getBoundingClientRect(), millis, rest: drag.rest })
  drag.rest = rest
  area.scrollBy(0, step)
}

const follow = (drag: Drag, at: number) => {
  drag.ghost?.style.setProperty("transform", `translate(${drag.x + 8}px, ${drag.y + 8}px) rotate(1deg)`)
  markOver(drag)
  scrollAtEdge(drag, at)
  drag.frame = requestAnimationFrame((next) => follow(drag, next))
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
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0)
}

const press = (event: PointerEvent): Drag | undefined => {
  const { button, clientX: x, clientY: y, isPrimary, pointerId, pointerType, target } = event
  if (button !== 0 || !isPrimary || !(target instanceof Element)) return undefined
  const source = target.closest<HTMLElement>("[data-drag]")
  const id = source?.dataset["drag"]
  if (source === null || id === undefined) return undefined
  const isTouch = pointerType === "touch"
  const start = { x, y, startX: x, startY: y, scrolledAt: 0, rest: 0 }
  return { id, source, pointerId, isTouch, ...start, ghost: undefined, over: undefined, hold: undefined, frame: 0 }
}

/** Returns a function that stops watching. */
const watchDrags = (element: HTMLElement, options: () => DragOptions) => {
  const stopped = new AbortController()
  const { signal } = stopped
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
    const next = press(event)
    if (next === undefined) return
    end()
    drag = next
    // After scrolling removes the source from the document, no other element gets its touch events.
    next.source.addEventListener("touchmove", keepFromScrolling, { passive: false })
    if (!next.isTouch || !options().canDrag(next.id)) return
    next.hold = setTimeout(() => begin(next), holdMillis)
  }
  const move = (event: PointerEvent) => {
    if (drag === undefined || event.pointerId !== drag.pointerId) return
    const { ghost, id, isTouch, startX, startY } = drag
    drag.x = event.clientX
    drag.y = event.clientY
    if (ghost !== undefined) return
    const { canDrag, onRefused } = options()
    const intent = dragIntent({ x: drag.x - startX, y: drag.y - startY, isTouch, canDrag: canDrag(id) })
    if (intent === "drag") begin(drag)
    else if (intent !== "click") end()
    if (intent === "refused") onRefused(id)
  }
  const up = (event: PointerEvent) => {
    if (drag === undefined || event.pointerId !== drag.pointerId) return
    const { ghost, id } = drag
    drag.x = event.clientX
    drag.y = event.clientY
    if (ghost !== undefined) markOver(drag)
    const target = ghost === undefined ? undefined : drag.over?.dataset["drop"]
    if (ghost !== undefined) swallowClick()
    end()
    if (target !== undefined) options().onDrop(id, target)
  }
  const cancelByKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || drag?.ghost === undefined) return
    swallow(event)
    end()
  }
  const keepFromMenu = (event: Event) => {
    if (drag?.ghost !== undefined || drag?.hold !== undefined) event.preventDefault()
  }

  element.addEventListener("pointerdown", down, { signal })
  element.addEventListener("contextmenu", keepFromMenu, { signal })
  element.addEventListener("touchmove", keepFromScrolling, { passive: false, signal })
  window.addEventListener("pointermove", move, { signal })
  window.addEventListener("pointerup", up, { signal })
  window.addEventListener("pointercancel", end, { signal })
  window.addEventListener("blur", end, { signal })
  window.addEventListener("keydown", cancelByKey, { capture: true, signal })
  return () => {
    end()
    stopped.abort()
  }
}

/**
 * Drags elements with `data-drag` onto elements with `data-drop`, by mouse, pen and touch. A drag renders nothing: it
 * only sets `data-over` on the element under the pointer.
 */
export const useDrag = (root: RefObject<HTMLElement | null>, options: DragOptions) => {
  const latest = useRef(options)
  latest.current = options
  useEffect(() => (root.current === null ? undefined : watchDrags(root.current, () => latest.current)), [root])
}
