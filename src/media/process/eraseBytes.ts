import { Stream } from "effect"
import type { Erasure } from "./child/protocol.ts"

/** Offsets within the chunk; `start` may be negative. */
const overlap = (chunkOffset: number, chunkLength: number, offset: number, length: number) => ({
  start: offset - chunkOffset,
  end: Math.min(offset + length - chunkOffset, chunkLength)
})

/** Erases in any part of a file, in place. */
export const eraseWithin = ({ headers, spans }: Erasure, offset: number, bytes: Uint8Array): void => {
  const end = offset + bytes.length
  for (const [at, length] of spans) {
    if (at < end && at + length > offset) bytes.fill(0, Math.max(at - offset, 0), Math.min(at + length, end) - offset)
  }
  for (const [at, header] of headers) {
    const shown = header.subarray(Math.max(offset - at, 0), Math.max(end - at, 0))
    if (shown.length > 0) bytes.set(shown, Math.max(at - offset, 0))
  }
}

/** Erases in a file that is streamed from its start. The length and all other bytes stay. */
export const eraseBytes =
  ({ headers, spans }: Erasure) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> => {
    const written = headers.toSorted(([a], [b]) => a - b)
    return Stream.mapAccum(
      bytes,
      () => ({ chunkOffset: 0, nextSpan: 0, nextHeader: 0 }),
      (state, chunk) => {
        const { chunkOffset } = state
        let { nextSpan, nextHeader } = state
        const chunkEnd = chunkOffset + chunk.length
        const erased = Uint8Array.from(chunk)
        for (let span = spans[nextSpan]; span !== undefined && span[0] < chunkEnd; span = spans[nextSpan]) {
          const { end, start } = overlap(chunkOffset, chunk.length, ...span)
          erased.fill(0, Math.max(start, 0), end)
          if (span[0] + span[1] > chunkEnd) break
          nextSpan++
        }
        for (let next = written[nextHeader]; next !== undefined && next[0] < chunkEnd; next = written[nextHeader]) {
          const [offset, header] = next
          const { end, start } = overlap(chunkOffset, chunk.length, offset, header.length)
          if (end > 0) erased.set(header.subarray(Math.max(0, -start), end - start), Math.max(start, 0))
          if (offset + header.length > chunkEnd) break
          nextHeader++
        }
        return [{ chunkOffset: chunkEnd, nextSpan, nextHeader }, [erased]]
      }
    )
  }
