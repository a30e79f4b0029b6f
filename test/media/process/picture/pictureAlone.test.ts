import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import sharp from "sharp"
import type { AcceptedType } from "../../../../src/media/limits.ts"
import { processImage } from "../../../../src/media/process/child/image.ts"
import { alone, located, place, profiled, profileOf } from "./pictures.ts"

const outputs = { sent: { longestSide: 4_000, maxBytes: 2_000_000, keepsOriginal: true } }

const types: Readonly<Record<string, AcceptedType>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif"
}

/** What platforms get of a file, and the file that it was made of; null where it is the same file. */
const sentOf = Effect.fnUntraced(function* (bytes: Buffer) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "picture-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true }))
  )
  const file = path.join(directory, "picture")
  const outputDirectory = path.join(directory, "made")
  yield* Effect.promise(() => mkdir(outputDirectory))
  yield* Effect.promise(() => writeFile(file, bytes))
  const { format } = yield* Effect.promise(() => sharp(bytes).metadata())
  const contentType = types[format] ?? "image/jpeg"
  const { animation, made } = yield* processImage({ contentType, path: file, outputDirectory, outputs })
  const sent = animation ?? made["sent"]
  if (sent === undefined) return assert.fail("Nothing was made")
  const { path: sentPath } = sent
  return sentPath === null ? null : yield* Effect.promise(() => readFile(sentPath))
}, Effect.scoped)

const pixels = (bytes: Buffer) =>
  Effect.promise(() => sharp(bytes, { animated: true }).toColourspace("srgb").raw().toBuffer())

const curves = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]

const tagsOf = (profile: Buffer) =>
  Array.from({ length: profile.readUInt32BE(128) }, (_, index) =>
    profile.toString("latin1", 132 + index * 12, 136 + index * 12)
  )

describe("pictureAlone", () => {
  it.live.each(located)("A place in %s is not in what platforms get, which shows the same picture", ([, make]) =>
    Effect.gen(function* () {
      const original = yield* Effect.promise(make)
      assert.include(original.toString("latin1"), place)
      const sent = yield* sentOf(original)
      if (sent === null) return assert.fail("The original is sent")
      assert.notInclude(sent.toString("latin1"), place)
      // In a PNG it is compressed.
      assert.notInclude((yield* Effect.promise(() => profileOf(sent))).toString("latin1"), place)
      const [before, after] = [yield* pixels(original), yield* pixels(sent)]
      assert.strictEqual(after.length, before.length)
      const difference = before.reduce((sum, value, index) => sum + Math.abs(value - (after[index] ?? 0)), 0)
      assert.isBelow(difference / before.length, 8)
    })
  )

  it.live.each(alone)("An image that has nothing but its picture is sent as it is: %s", ([, make]) =>
    Effect.gen(function* () {
      assert.isNull(yield* sentOf(yield* Effect.promise(make)))
    })
  )

  it.live.each(profiled)("A color profile keeps what its colors are, and nothing else: %s", ([, make]) =>
    Effect.gen(function* () {
      const original = yield* Effect.promise(make)
      const sent = yield* sentOf(original)
      if (sent === null) return assert.fail("The original is sent")
      const profile = yield* Effect.promise(() => profileOf(sent))
      assert.deepStrictEqual(tagsOf(profile), ["desc", "cprt", "wtpt", "chad", ...curves])
      assert.deepStrictEqual(yield* pixels(sent), yield* pixels(original))
      assert.isNull(yield* sentOf(sent))
    })
  )
})
