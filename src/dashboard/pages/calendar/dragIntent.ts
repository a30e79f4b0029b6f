/** Pixels. A shorter movement is a click. */
const threshold = 5

export interface Movement {
  readonly x: number
  readonly y: number
  readonly isTouch: boolean
  readonly canDrag: boolean
}

/** Decides what a pointer's movement means. `refused` means that the person can't drag the post. */
export const dragIntent = ({ canDrag, isTouch, x, y }: Movement): "click" | "drag" | "refused" | "scroll" => {
  if (Math.hypot(x, y) < threshold) return "click"
  if (isTouch) return "scroll"
  return canDrag ? "drag" : "refused"
}

/** The height of the area at each edge in which a drag scrolls, in pixels. */
const scrollEdge = 40
/**
 * The milliseconds in which a drag scrolls a sixth of the view, which is a week in the month view. Slow enough to
 * follow.
 */
const scrollMillis = 400
/** If a frame takes more milliseconds than this, it scrolls only as far as in this time. */
const longestFrame = 50

export interface EdgeScroll {
  /** The positions of the pointer and the area, in pixels. */
  readonly y: number
  readonly area: { readonly bottom: number; readonly height: number; readonly top: number }
  /** Milliseconds since the last frame. */
  readonly millis: number
  /** The fraction of a pixel that the last frame did not scroll, because browsers scroll by whole pixels. */
  readonly rest: number
}

/** The pixels that a frame scrolls, positive for down, and the fraction that is left for the next frame. */
export const edgeScroll = ({ area, millis, rest, y }: EdgeScroll): { readonly step: number; readonly rest: number } => {
  const direction = y < area.top + scrollEdge ? -1 : y > area.bottom - scrollEdge ? 1 : 0
  if (direction === 0) return { step: 0, rest: 0 }
  const wanted = rest + (direction * Math.min(millis, longestFrame) * area.height) / 6 / scrollMillis
  const step = Math.trunc(wanted)
  return { step, rest: wanted - step }
}
