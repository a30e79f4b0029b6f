import { Stream } from "effect"
import type { Erasure } from "./child/protocol.ts"

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

/** Counts the parts that begin before an offset. The first `known` of them do. */
const countBefore = (
  parts: ReadonlyArray<readonly [offset: number, unknown]>,
  offset: number,
  known: number
): number => {
  let count = known
  for (let part = parts[count]; part !== undefined && part[0] < offset; part = parts[count]) count++
  return count
}

/** Erases in a file that is streamed from its start. The length and all other bytes stay. */
export const eraseBytes =
  ({ headers, spans }: Erasure) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
    Stream.mapAccum(
      bytes,
      () => ({ chunkOffset: 0, spanCount: 0, headerCount: 0 }),
      (state, chunk) => {
        const { chunkOffset } = state
        const chunkEnd = chunkOffset + chunk.length
        const spanCount = countBefore(spans, chunkEnd, state.spanCount)
        const headerCount = countBefore(headers, chunkEnd, state.headerCount)
        // The last part of the chunk before may extend into this one.
        const within = {
          spans: spans.slice(Math.max(0, state.spanCount - 1), spanCount),
          headers: headers.slice(Math.max(0, state.headerCount - 1), headerCount)
        }
        const erased = Uint8Array.from(chunk)
        eraseWithin(within, chunkOffset, erased)
        return [{ chunkOffset: chunkEnd, spanCount, headerCount }, [erased]]
      }
    )
