import { assert, describe, it } from "@effect/vitest"
import { encoding, gif, image, makeChecks, video } from "../../../support/mediaChecks.ts"

const { isLimit, refusals, takes } = makeChecks("twitter")

describe("the files that X takes", () => {
  it("X takes images of up to 5 MB", () => {
    assert.isTrue(isLimit({ ...image, size: 5_000_000 }, { ...image, size: 5_000_001 }))
  })

  it("X takes JPEG, PNG and WebP", () => {
    for (const contentType of ["image/jpeg", "image/png", "image/webp"]) assert.isTrue(takes({ ...image, contentType }))
  })

  it("An animated image that is no GIF is refused, because it would be shown still", () => {
    assert.deepStrictEqual(refusals({ ...image, contentType: "image/webp", animated: true }), [
      "media.0: twitter accepts animated images only as GIFs"
    ])
  })

  it("X takes GIFs of up to 15 MB, 1280x1080 pixels in either direction and 350 frames", () => {
    assert.isTrue(isLimit({ ...gif, size: 15_000_000 }, { ...gif, size: 15_000_001 }))
    assert.isTrue(isLimit({ ...gif, width: 1280 }, { ...gif, width: 1281 }))
    assert.isTrue(isLimit({ ...gif, width: 1080, height: 1280 }, { ...gif, width: 1081, height: 1280 }))
    const small = { ...gif, width: 100, height: 100 }
    assert.isTrue(isLimit({ ...small, frames: 350 }, { ...small, frames: 351 }))
  })

  it("X takes 300 million pixels over all frames of a GIF", () => {
    const wide = { ...gif, width: 1000, height: 1000 }
    assert.isTrue(isLimit({ ...wide, frames: 300 }, { ...wide, frames: 301 }))
  })

  it("X takes videos of half a second to 140 seconds", () => {
    assert.isTrue(isLimit({ ...video, durationMs: 500 }, { ...video, durationMs: 499 }))
    assert.isTrue(isLimit({ ...video, durationMs: 140_000 }, { ...video, durationMs: 140_001 }))
  })

  it("X takes videos of up to 512 MB, 1920x1200 pixels in either direction, and from 32x32 on", () => {
    assert.isTrue(isLimit({ ...video, size: 512_000_000 }, { ...video, size: 512_000_001 }))
    assert.isTrue(isLimit({ ...video, width: 1200, height: 1920 }, { ...video, width: 1201, height: 1920 }))
    assert.isTrue(isLimit({ ...video, width: 1920 }, { ...video, width: 1921 }))
    assert.isTrue(isLimit({ ...video, width: 32, height: 32 }, { ...video, width: 31, height: 32 }))
  })

  it("X takes videos between 1:3 and 3:1, and of up to 60 frames a second", () => {
    assert.isTrue(isLimit({ ...video, width: 900, height: 300 }, { ...video, width: 901, height: 300 }))
    assert.isTrue(isLimit({ ...video, frameRate: 60 }, { ...video, frameRate: 60.1 }))
  })

  it("X takes H.264 with sound in AAC or without sound", () => {
    assert.isTrue(isLimit({ ...video, audioCodec: null }, { ...video, audioCodec: "opus" }))
    assert.isTrue(isLimit({ ...video, contentType: "video/quicktime" }, { ...video, contentType: "video/webm" }))
    assert.isTrue(isLimit(video, { ...video, videoCodec: "hevc" }))
    assert.isTrue(isLimit(video, { ...video, videoCodec: null }))
  })

  it("Everything that is wrong with a file is said", () => {
    assert.deepStrictEqual(refusals({ ...video, durationMs: 200_000, size: 600_000_000, videoCodec: "vp9" }), [
      "media.0: twitter accepts videos up to 512 MB, but this one is 600 MB",
      "media.0: twitter accepts videos of 0.5 s to 140 s, but this one has 200 s",
      "media.0: twitter accepts videos in H.264, but this one is in vp9"
    ])
  })

  it("X takes alternative texts of 1,000 characters", () => {
    assert.isTrue(takes(image, "x".repeat(1000)))
    assert.deepStrictEqual(refusals(image, "x".repeat(1001)), [
      "media.0.alt: twitter accepts 1000 characters, but this text has 1001"
    ])
  })
})

describe("how videos are encoded", () => {
  it.each([
    [{ audioProfile: "mp4a.40.5" }, "twitter accepts videos with sound in AAC-LC, but this one has HE-AAC"],
    [{ audioChannels: 6 }, "twitter accepts videos with sound in mono or stereo, but this one has 6 channels"],
    [{ chroma: "4:4:4" }, "twitter accepts videos with colors in 4:2:0, but this one has 4:4:4"],
    [{ interlaced: true }, "twitter accepts progressive videos, but this one is interlaced"],
    [{ squarePixels: false }, "twitter accepts only videos with square pixels"]
  ])("X refuses a video with %j for that reason", (change, message) => {
    const changed = { ...video, encoding: { ...encoding, ...change } }
    assert.deepStrictEqual(refusals(changed), [`media.0: ${message}`])
  })

  it("X takes what says nothing against itself, and what an earlier version has read", () => {
    const unsaid = { chroma: null, interlaced: null, squarePixels: true, audioProfile: null, audioChannels: null }
    for (const said of [encoding, unsaid]) assert.isTrue(takes({ ...video, encoding: said }))
    assert.isTrue(takes(video))
  })
})
