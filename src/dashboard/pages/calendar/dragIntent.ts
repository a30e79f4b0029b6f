/** In pixels. Less is a click. */
const threshold = 5

export interface Movement {
  readonly x: number
  readonly y: number
  readonly isTouch: boolean
  readonly canDrag: boolean
}

/** Classifies a pointer's movement. A short movement is a click. `refused` means that the post can't be dragged. */
export const dragIntent = ({ canDrag, isTouch, x, y }: Movement): "click" | "drag" | "refused" | "scroll" => {
  if (Math.hypot(x, y) < threshold) return "click"
  if (isTouch) return "scroll"
  return canDrag ? "drag" : "refused"
}

/** In pixels. */
const scrollEdge = 40
/** The milliseconds to scroll a sixth of the view, which is a week of the month. Slow enough to follow. */
const scrollMillis = 400
/** The most milliseconds that a frame scrolls for. */
const longestFrame = 50

export interface EdgeScroll {
  /** The positions of the pointer and the area, in pixels. */
  readonly y: number
  readonly area: { readonly bottom: number; readonly height: number; readonly top: number }
  /** Since the last frame. */
  readonly millis: number
  /** The fraction of a pixel left by the last frame: browsers scroll by whole pixels. */
  readonly rest: number
}

/** The pixels to scroll in a frame, down if positive, and the fraction left for the next frame. */
export const edgeScroll = ({ area, millis, rest, y }: EdgeScroll): { readonly step: number; readonly rest: number } => {
  const direction = y < area.top + scrollEdge ? -1 : y > area.bottom - scrollEdge ? 1 : 0
  if (direction === 0) return { step: 0, rest: 0 }
  const wanted = rest + (direction * Math.min(millis, longestFrame) * area.height) / 6 / scrollMillis
  const step = Math.trunc(wanted)
  return { step, rest: wanted - step }
}
