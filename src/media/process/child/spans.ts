import type { FileHandle } from "node:fs/promises"
import { type ByteSpan, Refusal } from "./protocol.ts"

const windowLength = 64 * 1024

/** Sorted, and without spans that are empty, touch or overlap. */
export const mergeSpans = (spans: ReadonlyArray<ByteSpan>): ReadonlyArray<ByteSpan> => {
  const merged: Array<ByteSpan> = []
  for (const span of spans.toSorted(([a], [b]) => a - b)) {
    const [offset, length] = span
    const last = merged.at(-1)
    if (last !== undefined && offset <= last[0] + last[1]) {
      merged[merged.length - 1] = [last[0], Math.max(last[1], offset + length - last[0])]
    } else if (length > 0) merged.push(span)
  }
  return merged
}

/** The parts of `wholes` that `parts` do not cover. Reads each span once, so both must be merged. */
export const uncovered = function* (
  wholes: ReadonlyArray<ByteSpan>,
  parts: ReadonlyArray<ByteSpan>
): Generator<ByteSpan> {
  let next = 0
  for (const [offset, length] of wholes) {
    const end = offset + length
    let at = offset
    for (let part = parts[next]; part !== undefined && part[0] < end; part = parts[next]) {
      if (part[0] > at) yield [at, part[0] - at]
      at = Math.max(at, part[0] + part[1])
      // The part may extend into the next whole.
      if (at >= end) break
      next++
    }
    if (at < end) yield [at, end - at]
  }
}

/** True if a range contains only zeros. Calls in the file's order read no part twice. */
export const makeZeroCheck = (file: FileHandle) => {
  const window = Buffer.alloc(windowLength)
  let start = 0
  let end = 0
  return async ([offset, length]: ByteSpan): Promise<boolean> => {
    let at = offset
    while (at < offset + length) {
      if (at < start || at >= end) {
        const { bytesRead } = await file.read(window, 0, windowLength, at)
        if (bytesRead === 0) return true
        start = at
        end = at + bytesRead
      }
      const until = Math.min(end, offset + length)
      if (window.subarray(at - start, until - start).some((byte) => byte !== 0)) return false
      at = until
    }
    return true
  }
}

/** Ten minutes of 60 frames a second have 36,000, if each frame has an addition such as HDR10+. */
const maxErased = 40_000

const tooManyErased = `The video has something other than its picture and its sound in more than ${maxErased} places`

/** Refuses a video with too many places to erase. */
export const requireFewErased = (count: number): void => {
  if (count > maxErased) throw new Refusal({ message: tooManyErased })
}

/** The spans with something other than zeros, so that a video with nothing to erase is sent as it is. */
export const onlyOthers = async (
  isZero: ReturnType<typeof makeZeroCheck>,
  among: Iterable<ByteSpan>
): Promise<ReadonlyArray<ByteSpan>> => {
  const others: Array<ByteSpan> = []
  for (const span of among) {
    if (await isZero(span)) continue
    others.push(span)
    requireFewErased(others.length)
  }
  return others
}
