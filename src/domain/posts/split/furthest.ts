interface Search {
  /** The text from the start of the piece on. */
  readonly text: string
  /** The possible ends of the piece in `text`, in ascending order; undefined after the last. */
  readonly endAt: (index: number) => number | undefined
  readonly fits: (piece: string) => boolean
}

/** Most pieces without links end near this length: X's limit, in an estimate of X's units. */
const likelyLength = 280

const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const estimate = (unit: number): number => (unit <= 0x10ff ? 1 : isSecondHalf(unit) ? 0 : 2)

/**
 * Estimates the last place that fits if the text has no links. The exact search begins there, so an estimate is enough.
 */
const findLikely = (first: number, { endAt, text }: Search): number => {
  let length = 0
  let read = 0
  for (let index = first; ; index++) {
    const end = endAt(index)
    if (end === undefined) return Math.max(first, index - 1)
    for (; read < end; read++) length += estimate(text.charCodeAt(read))
    if (length > likelyLength) return Math.max(first, index - 1)
  }
}

/**
 * The last place up to which a piece fits; `first - 1` if none. Measures few pieces, however many places there are. The
 * place can be too early if a longer text counts less, as with a link.
 */
export const findFurthest = (first: number, search: Search): number => {
  const { endAt, fits, text } = search
  const fitsAt = (index: number): boolean => {
    if (index < first) return true
    const end = endAt(index)
    return end !== undefined && fits(text.slice(0, end))
  }
  const likely = findLikely(first, search)
  const isNear = fitsAt(likely)
  const direction = isNear ? 1 : -1
  let near = likely
  let step = 1
  while (fitsAt(near + direction * step) === isNear) {
    near += direction * step
    step *= 2
  }
  let fitting = isNear ? near : near - step
  let tooFar = isNear ? near + step : near
  while (tooFar - fitting > 1) {
    const middle = Math.floor((fitting + tooFar) / 2)
    if (fitsAt(middle)) fitting = middle
    else tooFar = middle
  }
  return Math.max(first - 1, fitting)
}
