/** Pixels. A shorter movement is a click. */
const threshold = 5

export interface Movement {
  readonly x: number
  readonly y: number
  readonly isTouch: boolean
  readonly canDrag: boolean
}

/** `refused` means that the person can't drag the post. */
export const dragIntent = ({ canDrag, isTouch, x, y }: Movement): "click" | "drag" | "refused" | "scroll" => {
  if (Math.hypot(x, y) < threshold) return "click"
  if (isTouch) return "scroll"
  return canDrag ? "drag" : "refused"
}

/** A drag scrolls within this many pixels of an edge. */
const scrollEdge = 40
/** Milliseconds in which a drag scrolls a sixth of the view, such as a week. Slow enough to follow. */
const scrollMillis = 400
/** A frame scrolls as if it took at most this many milliseconds. */
const longestFrame = 50

export interface EdgeScroll {
  /** In pixels. */
  readonly y: number
  readonly area: { readonly bottom: number; readonly height: number; readonly top: number }
  /** Milliseconds since the last frame. */
  readonly millis: number
  /** The fraction of a pixel that the last frame left. Browsers scroll by whole pixels. */
  readonly rest: number
}

/** `step` is the pixels to scroll, positive for down. `rest` is left for the next frame. */
export const edgeScroll = ({ area, millis, rest, y }: EdgeScroll): { readonly step: number; readonly rest: number } => {
  const direction = y < area.top + scrollEdge ? -1 : y > area.bottom - scrollEdge ? 1 : 0
  if (direction === 0) return { step: 0, rest: 0 }
  const wanted = rest + (direction * Math.min(millis, longestFrame) * area.height) / 6 / scrollMillis
  const step = Math.trunc(wanted)
  return { step, rest: wanted - step }
}
