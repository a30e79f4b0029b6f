import { assert, describe, it } from "@effect/vitest"
import type { MediaType } from "../../../src/domain/media/media.ts"
import { checkFile, findCombinationIssues } from "../../../src/domain/media/mediaRules.ts"
import { image, makeChecks, video } from "../../support/mediaChecks.ts"
import { rules } from "../../support/plans.ts"

describe("what a post carries together", () => {
  const images = (count: number) => Array.from({ length: count }, (): MediaType => "image")

  it("Ten images, one GIF or one video are taken", () => {
    for (const types of [images(10), ["gif"], ["video"], []] as const) {
      assert.deepStrictEqual(findCombinationIssues(types), [])
    }
  })

  it("Eleven images, two videos, two GIFs and mixed kinds are refused", () => {
    const refused: ReadonlyArray<ReadonlyArray<MediaType>> = [
      images(11),
      ["gif", "gif"],
      ["video", "video"],
      ["image", "video"]
    ]
    for (const types of refused) {
      assert.strictEqual(findCombinationIssues(types).length, 1)
    }
  })
})

describe("a codec that a platform does not take", () => {
  const named = (platform: "tiktok" | "twitter" | "instagram" | "facebook" | "threads") =>
    makeChecks(platform)
      .refusals({ ...video, videoCodec: "av1" })
      .flatMap((reason) => /in (.+), but this one is in AV1/.exec(reason)?.[1] ?? [])

  it("All that it takes are named, each once", () => {
    assert.deepStrictEqual(named("twitter"), ["H.264"])
    assert.deepStrictEqual(named("tiktok"), ["H.264, HEVC (H.265), VP8, or VP9"])
    for (const platform of ["instagram", "facebook", "threads"] as const) {
      assert.deepStrictEqual(named(platform), ["H.264 or HEVC (H.265)"])
    }
  })
})

describe("files of the library", () => {
  const upload = { ...image, size: 30_000_000 }
  const bluesky = { hash: "0".repeat(64), contentType: "image/jpeg", size: 1_900_000, width: 2000, height: 1500 }

  it("The rule goes by what is sent: an upload of 30 MB is taken where a rendition fits", () => {
    assert.deepStrictEqual(
      checkFile(rules.bluesky.media, "bluesky", { facts: upload, renditions: { bluesky } }, ""),
      []
    )
    assert.strictEqual(checkFile(rules.bluesky.media, "bluesky", { facts: upload, renditions: {} }, "").length, 1)
  })

  it("A file that a platform's rule allows and of which nothing was made for it is refused", () => {
    assert.strictEqual(
      checkFile(rules.twitter.media, "twitter", { facts: image, renditions: { bluesky } }, "").length,
      1
    )
  })
})
