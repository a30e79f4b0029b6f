import { assert, describe, it } from "@effect/vitest"
import sharp from "sharp"
import { isSmallPicture, maxSmallBytes } from "../../../src/media/process/lanes.ts"
import { animatedGif, phonePhoto, pixelBomb } from "../sampleFiles.ts"

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "#fff" } })

describe("small pictures", () => {
  it.each([
    ["image/jpeg", () => phonePhoto(4000, 3000), true],
    ["image/jpeg", () => plain(5000, 4000).jpeg().toBuffer(), false],
    ["image/jpeg", () => plain(2000, 1000).jpeg({ progressive: true }).toBuffer(), true],
    ["image/jpeg", () => plain(2000, 2000).jpeg({ progressive: true }).toBuffer(), true],
    ["image/jpeg", () => plain(2001, 2000).jpeg({ progressive: true }).toBuffer(), false],
    ["image/png", () => plain(2000, 2000).png().toBuffer(), true],
    ["image/png", () => plain(2001, 2000).png().toBuffer(), false],
    ["image/png", pixelBomb, false],
    ["image/webp", () => plain(2000, 2000).webp().toBuffer(), true],
    ["image/webp", () => plain(2001, 2000).webp().toBuffer(), false],
    ["image/webp", () => plain(2000, 2000).webp({ lossless: true }).toBuffer(), true],
    ["image/webp", () => plain(2001, 2000).webp({ lossless: true }).toBuffer(), false],
    [
      "image/webp",
      () =>
        plain(100, 100)
          .withExif({ IFD0: { Make: "A phone" } })
          .webp()
          .toBuffer(),
      true
    ],
    ["image/gif", animatedGif, false],
    ["image/png", () => Promise.resolve(Buffer.from("no picture")), false]
  ] as const)("A file of type %s is small by the pixels in its header (%s, %s)", async (type, make, isSmall) => {
    const bytes = await make()
    assert.strictEqual(isSmallPicture(type, bytes.byteLength, bytes), isSmall)
    assert.isFalse(isSmallPicture(type, maxSmallBytes + 1, bytes))
  })

  it.each([
    ["Huffman codes", 0xc4],
    ["an extension", 0xc8],
    ["arithmetic conditions", 0xcc]
  ])("A table of %s before the size of a JPEG is not taken for the size", async (_what, marker) => {
    const bytes = await plain(5000, 4000).jpeg().toBuffer()
    const table = Buffer.concat([Buffer.from([0xff, marker, 0, 19]), Buffer.alloc(17)])
    const changed = Buffer.concat([bytes.subarray(0, 2), table, bytes.subarray(2)])
    assert.isFalse(isSmallPicture("image/jpeg", changed.byteLength, changed))
  })

  it("An animated PNG is not small, because its header does not say how many frames it has", async () => {
    const bytes = await plain(20, 10).png().toBuffer()
    const control = Buffer.concat([Buffer.from([0, 0, 0, 8]), Buffer.from("acTL"), Buffer.alloc(12)])
    const animated = Buffer.concat([bytes.subarray(0, 33), control, bytes.subarray(33)])
    assert.isFalse(isSmallPicture("image/png", animated.byteLength, animated))
  })

  it("An animated WebP is not small either", async () => {
    const bytes = await sharp(await animatedGif(), { animated: true })
      .webp()
      .toBuffer()
    assert.isFalse(isSmallPicture("image/webp", bytes.byteLength, bytes))
  })
})
