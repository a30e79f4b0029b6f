import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { splitLines } from "../../src/domain/splitLines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The lines of chunks, of which at most five bytes are kept. */
const split = (...chunks: ReadonlyArray<Uint8Array>) =>
  Effect.map(Stream.runCollect(splitLines(5)(Stream.fromIterable(chunks))), (lines) =>
    lines.map((line) => (line === "too long" ? line : new TextDecoder().decode(line)))
  )

describe("lines of standard input", () => {
  it.effect("A line ends with its line feed, or with the input, wherever the chunks end", () =>
    Effect.gen(function* () {
      const input = bytes("ab\n\né\r\nlast")
      const expected = ["ab", "", "é\r", "last"]
      assert.deepStrictEqual(yield* split(input), expected)
      assert.deepStrictEqual(yield* split(...Array.from(input, (byte) => Uint8Array.of(byte))), expected)
      assert.deepStrictEqual(yield* split(), [])
      assert.deepStrictEqual(yield* split(bytes("a\n")), ["a"])
    })
  )

  it.effect("A line that is too long is dropped to its end, and the next ones are kept", () =>
    Effect.gen(function* () {
      const expected = ["12345", "too long", "ab", "too long"]
      assert.deepStrictEqual(yield* split(bytes("12345\n123456\nab\n1234567")), expected)
      const chunks = ["123", "45\n12", "345", "67890", "\nab", "\n123456", "7"].map(bytes)
      assert.deepStrictEqual(yield* split(...chunks), expected)
    })
  )
})
