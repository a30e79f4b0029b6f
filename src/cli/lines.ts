import { Stream } from "effect"

const lineFeed = 10

export type Line = Uint8Array | "too long"

interface Begun {
  readonly parts: ReadonlyArray<Uint8Array>
  readonly size: number
}

const nothing: Begun = { parts: [], size: 0 }

/** A line with more than `limit` bytes loses its content. */
export const splitLines = (limit: number) => {
  const add = ({ parts, size }: Begun, bytes: Uint8Array): Begun =>
    size + bytes.length > limit
      ? { parts: [], size: size + bytes.length }
      : { parts: [...parts, bytes], size: size + bytes.length }

  const end = ({ parts, size }: Begun): Line => (size > limit ? "too long" : Buffer.concat(parts))

  const split = (begun: Begun, bytes: Uint8Array): readonly [Begun, ReadonlyArray<Line>] => {
    const lines: Array<Line> = []
    let rest = begun
    let from = 0
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      lines.push(end(add(rest, bytes.subarray(from, at))))
      rest = nothing
      from = at + 1
    }
    return [add(rest, bytes.subarray(from)), lines]
  }

  return Stream.mapAccum(() => nothing, split, { onHalt: (rest) => (rest.size === 0 ? [] : [end(rest)]) })
}
