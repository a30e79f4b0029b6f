import { assert, describe, it } from "@effect/vitest"
import { exportHints } from "../../../../src/domain/media/exportHints.ts"
import { encoding, gif, image, makeChecks, video } from "../../../support/mediaChecks.ts"

const { doubts, isLimit, refusals, takes } = makeChecks("twitter")

describe("the files that X takes", () => {
  it("X takes images of up to 5 MB", () => {
    assert.isTrue(isLimit({ ...image, size: 5_000_000 }, { ...image, size: 5_000_001 }))
  })

  it("X takes JPEG, PNG and WebP", () => {
    for (const contentType of ["image/jpeg", "image/png", "image/webp"]) assert.isTrue(takes({ ...image, contentType }))
  })

  it("An animated image that is no GIF is refused, because it would be shown still", () => {
    assert.deepStrictEqual(refusals({ ...image, contentType: "image/webp", animated: true }), [
      "media.0: twitter accepts animated images only as GIFs; convert it to a GIF or a video (MP4)"
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

  it("X takes videos of half a second to 125 minutes", () => {
    assert.isTrue(isLimit({ ...video, durationMs: 500 }, { ...video, durationMs: 499 }))
    assert.isTrue(isLimit({ ...video, durationMs: 7_500_000 }, { ...video, durationMs: 7_500_001 }))
  })

  it("A video of more than 140 seconds has a warning, because X decides by account", () => {
    assert.deepStrictEqual(doubts({ ...video, durationMs: 140_000 }), [])
    assert.deepStrictEqual(doubts({ ...video, durationMs: 200_000 }), [
      "media.0: twitter accepts videos of more than 140 s only from some accounts, and this one has 200 s"
    ])
  })

  it("X takes videos of up to 1 GB, which is the library's limit, 1920x1200 pixels in either direction, and from 32x32 on", () => {
    assert.isTrue(isLimit({ ...video, size: 1_000_000_000 }, { ...video, size: 1_000_000_001 }))
    assert.isTrue(isLimit({ ...video, width: 1200, height: 1920 }, { ...video, width: 1201, height: 1920 }))
    assert.isTrue(isLimit({ ...video, width: 1920 }, { ...video, width: 1921 }))
    assert.isTrue(isLimit({ ...video, width: 32, height: 32 }, { ...video, width: 31, height: 32 }))
  })

  it("X takes videos between 1:3 and 3:1, and of up to 60 frames a second", () => {
    assert.isTrue(isLimit({ ...video, width: 900, height: 300 }, { ...video, width: 901, height: 300 }))
    assert.isTrue(isLimit({ ...video, frameRate: 60.49 }, { ...video, frameRate: 60.5 }))
  })

  it("X takes H.264 with sound in AAC or without sound", () => {
    assert.isTrue(isLimit({ ...video, audioCodec: null }, { ...video, audioCodec: "opus" }))
    assert.isTrue(isLimit({ ...video, contentType: "video/quicktime" }, { ...video, contentType: "video/webm" }))
    assert.isTrue(isLimit(video, { ...video, videoCodec: "hevc" }))
    assert.isTrue(isLimit(video, { ...video, videoCodec: null }))
  })

  it("Everything that is wrong with a file is said", () => {
    assert.deepStrictEqual(refusals({ ...video, durationMs: 8_000_000, size: 2_000_000_000, videoCodec: "vp9" }), [
      `media.0: twitter accepts videos up to 1,000 MB, but this one is 2,000 MB; ${exportHints.size}`,
      `media.0: twitter accepts videos of 0.5 s to 7,500 s, but this one has 8,000 s; ${exportHints.long}`,
      `media.0: twitter accepts videos in H.264, but this one is in VP9; ${exportHints.videoCodec}`
    ])
  })

  it("A browser's recording is refused with the export that helps", () => {
    const recording = { ...video, contentType: "video/webm", videoCodec: "vp9", audioCodec: "opus" }
    const [type, codec, sound] = refusals(recording)
    assert.match(type ?? "", /not video\/webm; export it as MP4$/)
    assert.match(codec ?? "", /VP9; export it as H\.264/)
    assert.match(sound ?? "", /opus; export its sound as AAC-LC/)
  })

  it("An iPhone's usual clip is refused with the setting that helps", () => {
    const [refusal = ""] = refusals({ ...video, contentType: "video/quicktime", videoCodec: "hevc" })
    assert.match(refusal, /HEVC \(H\.265\); export it as H\.264.*Most Compatible/)
  })

  it("X counts an alternative text in code points", () => {
    assert.isTrue(takes(image, "\u{1F600}".repeat(1000)))
    assert.isFalse(takes(image, "\u{1F600}".repeat(1001)))
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
    [{ audioProfile: "mp4a.40.5" }, "with sound in AAC-LC, but this one has HE-AAC", "sound"],
    [{ audioChannels: 6 }, "with sound in mono or stereo, but this one has 6 channels", "sound"],
    [{ chroma: "4:4:4" }, "with colors in 4:2:0, but this one has 4:4:4", "chroma"],
    [{ interlaced: true }, "accepts progressive videos, but this one is interlaced", "interlaced"],
    [{ squarePixels: false }, "accepts only videos with square pixels", "pixels"],
    [{ closedGop: false }, "with closed groups of pictures, but this one has open ones", "groups"]
  ] as const)("X refuses a video with %j for that reason, and says what helps", (change, message, hint) => {
    const changed = { ...video, encoding: { ...encoding, ...change } }
    const [refusal = "", ...others] = refusals(changed)
    assert.isTrue(refusal.endsWith(`${message}; ${exportHints[hint]}`), refusal)
    assert.deepStrictEqual(others, [])
  })

  it.each([
    [{ bitDepth: 10 }, "its colors have 10 bits"],
    [{ bitDepth: 8, highDynamicRange: true }, "its colors have HDR"],
    [{ keyframeDistance: 513 }, "513 frames lie between two keyframes"]
  ])("A video with %j is taken with a warning, because X may refuse it", (change, reason) => {
    const changed = { ...video, encoding: { ...encoding, ...change } }
    assert.isTrue(takes(changed))
    const [doubt = "", ...others] = doubts(changed)
    assert.include(doubt, `media.0: twitter may refuse this video, because ${reason}; export it`)
    assert.deepStrictEqual(others, [])
  })

  it("Few frames between keyframes, and closed groups, have no warning", () => {
    const usual = { bitDepth: 8, highDynamicRange: false, closedGop: true, keyframeDistance: 512 }
    assert.deepStrictEqual(doubts({ ...video, encoding: { ...encoding, ...usual } }), [])
  })

  it("X takes what says nothing against itself, and what an earlier version has read", () => {
    const unsaid = { chroma: null, interlaced: null, squarePixels: true, audioProfile: null, audioChannels: null }
    for (const said of [encoding, unsaid]) assert.isTrue(takes({ ...video, encoding: said }))
    assert.isTrue(takes(video))
  })
})
