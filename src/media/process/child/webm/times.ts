import { makeTimeline } from "../timeline.ts"

export interface TimedBlock {
  readonly time: number
  readonly duration: number
  readonly isKey: boolean
  /** More than one if packets of sound share a block (lacing). */
  readonly packets: number
}

/**
 * The times of a track's blocks, which have no durations of their own. `frameSeconds` is the track's duration of a
 * frame, or 0.
 */
export const makeTimes = (frameSeconds: number) => {
  const timeline = makeTimeline()
  let first = Infinity
  let last = -Infinity
  let packets = 0
  let lastPackets = 0
  return {
    /** Times are in the segment's units, in the order of the file; the duration is 0 if it is not told. */
    add: ({ duration, isKey, packets: own, time }: TimedBlock) => {
      timeline.continueAt(time)
      timeline.addFrame(duration, 0, isKey)
      packets += own
      first = Math.min(first, time)
      if (time >= last) {
        last = time
        lastPackets = own
      }
    },
    /** The last packets take as long as the others do on average, if their duration is not told. */
    read: (unitSeconds: number) => {
      const { end, frames, isOpen, longestDistance } = timeline.read()
      if (frames === 0) return { frames, start: 0, end: 0, isOpen, longestDistance }
      const before = packets - lastPackets
      const usual = frameSeconds > 0 ? frameSeconds : before > 0 ? ((last - first) * unitSeconds) / before : 0
      return {
        frames,
        start: first * unitSeconds,
        end: end > last ? end * unitSeconds : last * unitSeconds + usual * lastPackets,
        isOpen,
        longestDistance
      }
    }
  }
}
export type Times = ReturnType<typeof makeTimes>
