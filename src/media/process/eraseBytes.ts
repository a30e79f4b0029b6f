import { Stream } from "effect"
import type { Erasure } from "./child/protocol.ts"

const freeType = new TextEncoder().encode("free")

/** Offsets within the chunk; `start` may be negative. */
const overlap = (chunkOffset: number, chunkLength: number, offset: number, length: number) => ({
  start: offset - chunkOffset,
  end: Math.min(offset + length - chunkOffset, chunkLength)
})

/** Erases in a file that is streamed from its start. The length and all other bytes stay. */
export const eraseBytes =
  ({ freed, spans }: Erasure) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> => {
    const types = freed.toSorted((a, b) => a - b)
    return Stream.mapAccum(
      bytes,
      () => ({ chunkOffset: 0, nextSpan: 0, nextType: 0 }),
      (state, chunk) => {
        const { chunkOffset } = state
        let { nextSpan, nextType } = state
        const chunkEnd = chunkOffset + chunk.length
        const erased = Uint8Array.from(chunk)
        for (let span = spans[nextSpan]; span !== undefined && span[0] < chunkEnd; span = spans[nextSpan]) {
          const { end, start } = overlap(chunkOffset, chunk.length, ...span)
          erased.fill(0, Math.max(start, 0), end)
          if (span[0] + span[1] > chunkEnd) break
          nextSpan++
        }
        for (let type = types[nextType]; type !== undefined && type < chunkEnd; type = types[nextType]) {
          const { end, start } = overlap(chunkOffset, chunk.length, type, freeType.length)
          for (let at = Math.max(start, 0); at < end; at++) erased[at] = freeType[at - start] ?? 0
          if (type + freeType.length > chunkEnd) break
          nextType++
        }
        return [{ chunkOffset: chunkEnd, nextSpan, nextType }, [erased]]
      }
    )
  }
