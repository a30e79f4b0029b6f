import { assert, describe, it } from "@effect/vitest"
import { chunkAt, chunksOf, contentRange, lastChunk, takenChunks } from "../../../src/platforms/tiktok/chunks.ts"
import { withExactNumbers } from "../../../src/platforms/tiktok/exactNumbers.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"

const mebibyte = 1024 * 1024

const random = seededRandom(7)
const sizes = [
  1,
  2_000,
  5 * mebibyte - 1,
  5 * mebibyte,
  5 * mebibyte + 1,
  10 * mebibyte - 1,
  10 * mebibyte,
  50_000_123,
  64_000_000,
  64_000_001,
  1_000_000_000,
  4_000_000_000,
  ...Array.from({ length: 2_000 }, () => 1 + Math.floor(random() * 4_000_000_000))
]

describe("the chunks of a video", () => {
  it("They keep TikTok's rule for every size", () => {
    for (const total of sizes) {
      const { count, size } = chunksOf(total)
      assert.strictEqual(count, Math.max(1, Math.floor(total / size)), `the count of ${total}`)
      assert.isAtMost(count, 1_000)
      if (total < 5 * mebibyte) assert.deepStrictEqual([count, size], [1, total])
      else assert.isTrue(size >= 5 * mebibyte && size <= 64_000_000, `${total} in chunks of ${size}`)
      if (total > 64_000_000) assert.isAbove(count, 1)
    }
  })

  it("They follow each other without a gap, and the last one, which is sent in one request, is small", () => {
    for (const total of sizes) {
      const { count } = chunksOf(total)
      let [next, gaps] = [0, 0]
      for (let index = 0; index < count; index++) {
        const { length, offset } = chunkAt(total, index)
        if (offset !== next) gaps++
        next += length
      }
      assert.deepStrictEqual([gaps, next], [0, total])
      assert.deepStrictEqual(lastChunk(total), chunkAt(total, count - 1))
      assert.isAtMost(lastChunk(total).length, 10 * mebibyte + 1_000)
    }
  })

  it("Their ranges are written from the first to the last byte", () => {
    assert.strictEqual(contentRange(chunkAt(12_000_000, 1), 12_000_000), "bytes 6000000-11999999/12000000")
  })

  it("The chunks that TikTok has are counted, whether it names the bytes or the last one", () => {
    assert.deepStrictEqual(
      ["bytes 0-6000000/18000000", "bytes 0-5999999/18000000", "bytes 0-12000000/18000000"].map((header) =>
        takenChunks(header, 18_000_000)
      ),
      [1, 1, 2]
    )
    assert.strictEqual(takenChunks("bytes 0-0/18000000", 18_000_000), 0)
    // All bytes. The last chunk takes the rest.
    assert.deepStrictEqual(
      [16_000_000, 15_999_999].map((end) => takenChunks(`bytes 0-${end}/16000000`, 16_000_000)),
      [3, 3]
    )
    for (const header of [
      undefined,
      "",
      "bytes 0-7/18000000",
      "bytes 0-18000001/18000000",
      "bytes 5-6/7",
      "0-6000000/1"
    ]) {
      assert.isUndefined(takenChunks(header, 18_000_000), header)
    }
  })
})

describe("numbers above 2^53", () => {
  it("They become texts without loss, and texts and other numbers stay", () => {
    const json =
      '{"a":[7412345678901234567],"b":"no 7412345678901234567 \\" 7412345678901234567","c":-12,"d":0.1234567890123456,"e":1e400}'
    assert.deepStrictEqual(JSON.parse(withExactNumbers(json)), {
      a: ["7412345678901234567"],
      b: 'no 7412345678901234567 " 7412345678901234567',
      c: -12,
      d: 0.1234567890123456,
      e: Infinity
    })
    for (const other of ["", "<h1>7412345678901234567</h1>", '"open', "[".repeat(50_000)]) {
      assert.isString(withExactNumbers(other))
    }
  })
})
