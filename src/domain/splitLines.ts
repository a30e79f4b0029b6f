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

  const split = (begun: Begun, bytes: Uint8Array): readonly [Begun, ReadonlyArray<Line>] => {
    const lines: Array<Line> = []
    let rest = begun
    let from = 0
    const take = (part: Uint8Array) => {
      const next = add(rest, part)
      if (rest.size <= limit && next.size > limit) lines.push("too long")
      rest = next
    }
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      take(bytes.subarray(from, at))
      if (rest.size <= limit) lines.push(Buffer.concat(rest.parts))
      rest = nothing
      from = at + 1
    }
    take(bytes.subarray(from))
    return [rest, lines]
  }

  return Stream.mapAccum(() => nothing, split, {
    onHalt: ({ parts, size }) => (size === 0 || size > limit ? [] : [Buffer.concat(parts)])
  })
}
