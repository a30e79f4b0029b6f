import { Refusal } from "./protocol.ts"

/** More than two hours at 240 frames per second. */
const maxFrames = 2_000_000

const tooManyFrames = `The video has more than ${maxFrames} frames`

/** One part of a track that is shown, in the order of the edit list. */
export interface Edit {
  /** In seconds; 0 for the rest of the track. */
  readonly seconds: number
  /** In units of the track's timescale; undefined for an empty edit, which delays the track. */
  readonly from: number | undefined
  readonly rate: number
}

/** The samples of a track, added in decoding order. Times are in units of the track's timescale. */
export const makeTimeline = () => {
  let frames = 0
  let spent = 0
  let next = 0
  let first: number | undefined
  let end = 0
  let keyTime = -Infinity
  let distance = 0
  let longestDistance = 0
  let isOpen = false
  return {
    /** `delay` is the time between decoding and showing the frame. */
    addFrame: (duration: number, delay: number, isKey: boolean) => {
      if (++frames > maxFrames) throw new Refusal({ message: tooManyFrames })
      const shown = next + delay
      first ??= next
      if (isKey) {
        keyTime = shown
        distance = 0
      } else if (shown < keyTime) isOpen = true
      longestDistance = Math.max(longestDistance, ++distance)
      spent += duration
      next += duration
      end = Math.max(end, shown + duration)
    },
    /** Samples of sound, which need no keyframes. */
    addSound: (duration: number) => {
      // The index of a fragmented file has no samples, and the fragments may begin late.
      if (duration > 0) first ??= next
      next += duration
      end = Math.max(end, next)
    },
    /** Fragments have their own start. */
    continueAt: (time: number) => {
      next = time
    },
    /** A group of pictures is declared as open. */
    declareOpen: () => {
      isOpen = true
    },
    read: () => ({ frames, spent, start: first ?? 0, end, longestDistance, isOpen })
  }
}
export type Timeline = ReturnType<typeof makeTimeline>

/** The seconds that a track takes, from the start of the first track. */
export const shownSeconds = (
  { end, start }: Pick<ReturnType<Timeline["read"]>, "end" | "start">,
  timescale: number,
  edits: ReadonlyArray<Edit>,
  isFragmented: boolean
): number => {
  const whole = (end - start) / timescale
  // Players disagree on other rates, so the samples count.
  if (edits.some(({ from, rate }) => from !== undefined && rate !== 1)) return whole
  const shown = edits.reduce((sum, { from, seconds }, index) => {
    if (from === undefined) return sum + seconds
    const left = Math.max(0, (end - start - from) / timescale)
    // The index is written before the fragments, and so are its edits.
    const isOpenEnded = seconds === 0 || (isFragmented && index === edits.length - 1)
    return sum + (isOpenEnded ? left : Math.min(seconds, left))
  }, 0)
  return shown > 0 ? shown : whole
}
