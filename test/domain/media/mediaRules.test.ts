import { assert, describe, it } from "@effect/vitest"
import type { MediaFacts, MediaType } from "../../../src/domain/media/media.ts"
import { checkMedia, checkFile, findCombinationIssues } from "../../../src/domain/media/mediaRules.ts"
import { rules } from "../../support/plans.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"

const image: MediaFacts = {
  type: "image",
  contentType: "image/jpeg",
  size: 1_000_000,
  width: 4000,
  height: 3000,
  durationMs: null,
  frames: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  animated: false
}

const gif: MediaFacts = {
  ...image,
  type: "gif",
  contentType: "image/gif",
  width: 1280,
  height: 1080,
  durationMs: 3000,
  frames: 30,
  frameRate: 10,
  animated: true
}

const video: MediaFacts = {
  ...image,
  type: "video",
  contentType: "video/mp4",
  size: 20_000_000,
  width: 1280,
  height: 720,
  durationMs: 30_000,
  frameRate: 30,
  videoCodec: "h264",
  audioCodec: "aac"
}

const encoding = {
  chroma: "4:2:0",
  interlaced: false,
  squarePixels: true,
  audioProfile: "mp4a.40.2",
  audioChannels: 2
} as const

/** What a platform says against one file; empty if it takes it. */
const refusals = (platform: LivePlatform, facts: MediaFacts, alt = "") =>
  checkMedia(rules, platform, [{ ...facts, alt }]).map(({ message, path }) => `${path.join(".")}: ${message}`)

const takes = (platform: LivePlatform, facts: MediaFacts, alt?: string) => refusals(platform, facts, alt).length === 0

/** Whether a platform takes a file at a limit, and not past it. */
const isLimit = (platform: LivePlatform, at: MediaFacts, past: MediaFacts) =>
  refusals(platform, at).length === 0 && refusals(platform, past).length === 1

describe("images", () => {
  it("X takes images of up to 5 MB, and Bluesky of up to 2 MB", () => {
    assert.isTrue(isLimit("twitter", { ...image, size: 5_000_000 }, { ...image, size: 5_000_001 }))
    assert.isTrue(isLimit("bluesky", { ...image, size: 2_000_000 }, { ...image, size: 2_000_001 }))
  })

  it("JPEG, PNG and WebP are taken, and other types are named in the refusal", () => {
    for (const platform of ["twitter", "bluesky"] as const) {
      for (const contentType of ["image/jpeg", "image/png", "image/webp"]) {
        assert.isTrue(takes(platform, { ...image, contentType }))
      }
    }
    assert.deepStrictEqual(refusals("bluesky", { ...image, contentType: "image/tiff" }), [
      "media.0: bluesky takes images as image/jpeg, image/png, image/webp, not image/tiff"
    ])
  })

  it("An animated image that is no GIF is refused, because it would be shown still", () => {
    assert.deepStrictEqual(refusals("twitter", { ...image, contentType: "image/webp", animated: true }), [
      "media.0: twitter takes no animated images but GIFs"
    ])
  })
})

describe("GIFs", () => {
  it("X takes GIFs of up to 15 MB, 1280x1080 pixels in either direction and 350 frames", () => {
    assert.isTrue(isLimit("twitter", { ...gif, size: 15_000_000 }, { ...gif, size: 15_000_001 }))
    assert.isTrue(isLimit("twitter", { ...gif, width: 1280 }, { ...gif, width: 1281 }))
    assert.isTrue(isLimit("twitter", { ...gif, width: 1080, height: 1280 }, { ...gif, width: 1081, height: 1280 }))
    const small = { ...gif, width: 100, height: 100 }
    assert.isTrue(isLimit("twitter", { ...small, frames: 350 }, { ...small, frames: 351 }))
  })

  it("X takes 300 million pixels over all frames of a GIF", () => {
    const wide = { ...gif, width: 1000, height: 1000 }
    assert.isTrue(isLimit("twitter", { ...wide, frames: 300 }, { ...wide, frames: 301 }))
  })

  it("Bluesky takes no GIF, because it would show its first frame alone", () => {
    assert.deepStrictEqual(refusals("bluesky", gif), [
      "media.0: bluesky shows only the first frame of a GIF; send a video, or a still image, in place of it"
    ])
  })
})

describe("videos", () => {
  it("X takes videos of half a second to 140 seconds", () => {
    assert.isTrue(isLimit("twitter", { ...video, durationMs: 500 }, { ...video, durationMs: 499 }))
    assert.isTrue(isLimit("twitter", { ...video, durationMs: 140_000 }, { ...video, durationMs: 140_001 }))
  })

  it("X takes videos of up to 512 MB, 1920x1200 pixels in either direction, and from 32x32 on", () => {
    assert.isTrue(isLimit("twitter", { ...video, size: 512_000_000 }, { ...video, size: 512_000_001 }))
    assert.isTrue(isLimit("twitter", { ...video, width: 1200, height: 1920 }, { ...video, width: 1201, height: 1920 }))
    assert.isTrue(isLimit("twitter", { ...video, width: 1920 }, { ...video, width: 1921 }))
    assert.isTrue(isLimit("twitter", { ...video, width: 32, height: 32 }, { ...video, width: 31, height: 32 }))
  })

  it("X takes videos between 1:3 and 3:1, and of up to 60 frames a second", () => {
    assert.isTrue(isLimit("twitter", { ...video, width: 900, height: 300 }, { ...video, width: 901, height: 300 }))
    assert.isTrue(isLimit("twitter", { ...video, frameRate: 60 }, { ...video, frameRate: 60.1 }))
  })

  it("X takes H.264 with sound in AAC or without sound", () => {
    assert.isTrue(isLimit("twitter", { ...video, audioCodec: null }, { ...video, audioCodec: "opus" }))
    assert.isTrue(
      isLimit("twitter", { ...video, contentType: "video/quicktime" }, { ...video, contentType: "video/webm" })
    )
    assert.isTrue(isLimit("twitter", video, { ...video, videoCodec: "hevc" }))
    assert.isTrue(isLimit("twitter", video, { ...video, videoCodec: null }))
  })

  it("Bluesky takes MP4 of up to 300 MB and ten minutes", () => {
    assert.isTrue(isLimit("bluesky", { ...video, size: 300_000_000 }, { ...video, size: 300_000_001 }))
    assert.isTrue(isLimit("bluesky", { ...video, durationMs: 600_000 }, { ...video, durationMs: 600_001 }))
    assert.isTrue(isLimit("bluesky", video, { ...video, contentType: "video/quicktime" }))
  })

  it("Everything that is wrong with a file is said", () => {
    assert.deepStrictEqual(
      refusals("twitter", { ...video, durationMs: 200_000, size: 600_000_000, videoCodec: "vp9" }),
      [
        "media.0: twitter takes videos of up to 512 MB, this has 600 MB",
        "media.0: twitter takes videos of 0.5 s to 140 s, this has 200 s",
        "media.0: twitter takes videos in H.264, this is in vp9"
      ]
    )
  })
})

describe("alternative texts", () => {
  it("X takes 1,000 characters and Bluesky 2,000", () => {
    assert.isTrue(takes("twitter", image, "x".repeat(1000)))
    assert.deepStrictEqual(refusals("twitter", image, "x".repeat(1001)), [
      "media.0.alt: twitter takes 1000 characters, these are 1001"
    ])
    assert.isTrue(takes("bluesky", image, "x".repeat(2000)))
    assert.isFalse(takes("bluesky", image, "x".repeat(2001)))
  })
})

describe("what a post carries together", () => {
  it("Four images, one GIF or one video are taken", () => {
    for (const types of [["image", "image", "image", "image"], ["gif"], ["video"], []] as const) {
      assert.deepStrictEqual(findCombinationIssues(types), [])
    }
  })

  it("Five images, two videos, two GIFs and mixed kinds are refused", () => {
    const refused: ReadonlyArray<ReadonlyArray<MediaType>> = [
      ["image", "image", "image", "image", "image"],
      ["gif", "gif"],
      ["video", "video"],
      ["image", "video"]
    ]
    for (const types of refused) {
      assert.strictEqual(findCombinationIssues(types).length, 1)
    }
  })
})

describe("files of the library", () => {
  const upload = { ...image, size: 30_000_000 }
  const bluesky = { hash: "0".repeat(64), contentType: "image/jpeg", size: 1_900_000, width: 2000, height: 1500 }

  it("The rule goes by what is sent: an upload of 30 MB is taken where a rendition fits", () => {
    assert.deepStrictEqual(checkFile(rules, "bluesky", { facts: upload, renditions: { bluesky } }, ""), [])
    assert.strictEqual(checkFile(rules, "bluesky", { facts: upload, renditions: {} }, "").length, 1)
  })

  it("A file that a platform's rule allows and of which nothing was made for it is refused", () => {
    assert.strictEqual(checkFile(rules, "twitter", { facts: image, renditions: { bluesky } }, "").length, 1)
  })
})

describe("how videos are encoded", () => {
  it.each([
    [{ audioProfile: "mp4a.40.5" }, "twitter takes videos with sound in AAC-LC, this has HE-AAC"],
    [{ audioChannels: 6 }, "twitter takes videos with sound in mono or stereo, this has 6 channels"],
    [{ chroma: "4:4:4" }, "twitter takes videos with colors in 4:2:0, this has 4:4:4"],
    [{ interlaced: true }, "twitter takes progressive videos, this is interlaced"],
    [{ squarePixels: false }, "twitter takes videos with square pixels, these are not"]
  ])("X refuses a video with %j for that reason, and Bluesky takes it", (change, message) => {
    const changed = { ...video, encoding: { ...encoding, ...change } }
    assert.deepStrictEqual(refusals("twitter", changed), [`media.0: ${message}`])
    assert.isTrue(takes("bluesky", changed))
  })

  it("X takes what says nothing against itself, and what an earlier version has read", () => {
    const unsaid = { chroma: null, interlaced: null, squarePixels: true, audioProfile: null, audioChannels: null }
    for (const said of [encoding, unsaid]) assert.isTrue(takes("twitter", { ...video, encoding: said }))
    assert.isTrue(takes("twitter", video))
  })
})
