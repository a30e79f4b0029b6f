import { assert, describe, it } from "@effect/vitest"
import { encoding, gif, image, makeChecks, video } from "../../../support/mediaChecks.ts"

const { isLimit, refusals, takes } = makeChecks("bluesky")

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

  it("Bluesky takes no GIF, because it would show its first frame alone", () => {
    assert.deepStrictEqual(refusals(gif), [
      "media.0: bluesky shows only the first frame of a GIF; send a video or a still image instead"
    ])
  })

  it("Bluesky takes MP4 of up to 300 MB and ten minutes", () => {
    assert.isTrue(isLimit({ ...video, size: 300_000_000 }, { ...video, size: 300_000_001 }))
    assert.isTrue(isLimit({ ...video, durationMs: 600_000 }, { ...video, durationMs: 600_001 }))
    assert.isTrue(isLimit(video, { ...video, contentType: "video/quicktime" }))
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
