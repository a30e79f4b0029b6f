import { assert, describe, it } from "@effect/vitest"
import { encoding, gif, image, makeChecks, video } from "../../../support/mediaChecks.ts"

const { doubts, isLimit, refusals, takes } = makeChecks("bluesky")

describe("the files that Bluesky takes", () => {
  it("Bluesky takes images of up to 2 MB", () => {
    assert.isTrue(isLimit({ ...image, size: 2_000_000 }, { ...image, size: 2_000_001 }))
  })

  it("JPEG, PNG and WebP are taken, and other types are named in the refusal", () => {
    for (const contentType of ["image/jpeg", "image/png", "image/webp"]) assert.isTrue(takes({ ...image, contentType }))
    assert.deepStrictEqual(refusals({ ...image, contentType: "image/tiff" }), [
      "media.0: bluesky accepts images as image/jpeg, image/png, image/webp, not image/tiff"
    ])
  })

  it("Bluesky takes a GIF, of which its video service makes a video", () => {
    assert.isTrue(isLimit(gif, { ...gif, durationMs: 600_001 }))
  })

  it("An animated WebP is told to become what Bluesky takes", () => {
    assert.deepStrictEqual(refusals({ ...image, contentType: "image/webp", animated: true }), [
      "media.0: bluesky accepts animated images only as GIFs; convert it to a GIF or a video (MP4)"
    ])
  })

  it("Bluesky counts an alternative text in graphemes", () => {
    const family = "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
    assert.isTrue(takes(image, family.repeat(2000)))
    assert.isFalse(takes(image, family.repeat(2001)))
  })

  it("Bluesky warns of no encoding, because it makes a video of its own", () => {
    assert.deepStrictEqual(doubts({ ...video, durationMs: 300_000, encoding: { ...encoding, bitDepth: 10 } }), [])
  })

  it("Bluesky takes MP4, QuickTime and WebM of up to 300 MB and ten minutes", () => {
    assert.isTrue(isLimit({ ...video, size: 300_000_000 }, { ...video, size: 300_000_001 }))
    assert.isTrue(isLimit({ ...video, durationMs: 600_000 }, { ...video, durationMs: 600_001 }))
    for (const contentType of ["video/quicktime", "video/webm"]) {
      assert.isTrue(isLimit({ ...video, contentType }, { ...video, contentType: "video/mpeg" }))
    }
  })

  it("Bluesky takes a video however it is encoded", () => {
    for (const change of [
      { audioProfile: "mp4a.40.5" },
      { audioChannels: 6 },
      { chroma: "4:4:4" },
      { interlaced: true }
    ]) {
      assert.isTrue(takes({ ...video, encoding: { ...encoding, ...change } }))
    }
    assert.isTrue(takes({ ...video, encoding: { ...encoding, squarePixels: false } }))
  })

  it("Bluesky takes alternative texts of 2,000 characters", () => {
    assert.isTrue(takes(image, "x".repeat(2000)))
    assert.isFalse(takes(image, "x".repeat(2001)))
  })
})
