import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { MediaId } from "../../../src/domain/ids.ts"
import type { MediaFacts, MediaFile } from "../../../src/domain/media/media.ts"
import { checkMedia } from "../../../src/domain/media/mediaRules.ts"
import type { NewPost } from "../../../src/domain/posts/newPost.ts"
import { explainRefusal } from "../../../src/domain/posts/text/textRules.ts"
import { instagramByPages } from "../../../src/platforms/instagram/live.ts"
import { refusePost } from "../../../src/platforms/instagram/rules/post.ts"
import { makeRules } from "../../../src/platforms/rules.ts"
import { image, makeChecks, video } from "../../support/mediaChecks.ts"
import { planCreate, rules } from "../../support/plans.ts"

type Settings = NonNullable<Parameters<typeof refusePost>[1]["instagram"]>

const refused = (files: ReadonlyArray<MediaFacts | null>, settings: Settings = {}) =>
  refusePost(files, { instagram: settings }).map(({ reason }) => reason)

const sized = (width: number, height: number): MediaFacts => ({ ...image, width, height })
const square = sized(1080, 1080)

/** The width and height of the crop that a refusal names. */
const cropIn = (reason: string) => {
  const [, width = "", height = ""] = /crop it to (\d+)x(\d+) pixels/.exec(reason) ?? []
  return sized(Number(width), Number(height))
}

describe("a service that Instagram can't reach", () => {
  it("Its videos are sent as bytes with Facebook Login alone, and its pictures are refused", () => {
    const reasons = (configured: Parameters<typeof makeRules>[0], file: MediaFacts) => {
      const { instagram } = makeRules(configured, ["instagram"], { isReachable: false })
      const issues = instagram === undefined ? [] : checkMedia(instagram.media, "instagram", [{ ...file, alt: "" }])
      return issues.map(({ message }) => message)
    }
    const pages = { instagram: instagramByPages }
    assert.deepStrictEqual(reasons(pages, video), [])
    assert.match(reasons(pages, image)[0] ?? "", /^instagram accepts pictures only once .* has set PUBLIC_URL/)
    for (const file of [video, image]) {
      assert.match(reasons({}, file)[0] ?? "", /^instagram accepts files only once .* has set PUBLIC_URL/)
    }
  })
})

describe("the pictures of a post on Instagram", () => {
  it.each([
    [1080, 1350],
    [1080, 1080],
    [1910, 1000],
    [4000, 3000]
  ])("%ix%i is accepted", (width, height) => {
    assert.deepStrictEqual(refused([sized(width, height)]), [])
  })

  it("A picture that is too narrow or too wide is refused with the nearest crop", () => {
    assert.deepStrictEqual(refused([sized(1080, 1351)]), [
      "accepts pictures with aspect ratios from 4:5 to 1.91:1, but this one is 1080x1351 pixels; crop it to 1080x1350 pixels (4:5), or post it as a story"
    ])
    assert.match(refused([sized(1920, 1000)])[0] ?? "", /crop it to 1910x1000 pixels \(1\.91:1\)/)
  })

  it("Each crop that a refusal names is accepted, and no pixel more is", () => {
    for (let width = 320; width < 2_000; width += 7) {
      for (const height of [321, 777, 1_353, 2_999]) {
        const [reason] = refused([sized(width, height)])
        if (reason === undefined) continue
        const crop = cropIn(reason)
        assert.deepStrictEqual(refused([crop]), [], `${width}x${height}`)
        const larger = crop.width === width ? sized(width, crop.height + 1) : sized(crop.width + 1, height)
        assert.lengthOf(refused([larger]), 1, `${width}x${height}`)
      }
    }
  })

  it("A story may have any ratio, but one file and no collaborators", () => {
    const story = { post_type: "story" } as const
    assert.deepStrictEqual(refused([sized(1080, 1920)], story), [])
    assert.match(refused([square, square], story)[0] ?? "", /one file in a story, but this post has 2/)
    assert.match(refused([square], { ...story, collaborators: ["acme"] })[0] ?? "", /no collaborators to stories/)
  })

  it("A post without a file is refused, and each file of a carousel is checked", () => {
    assert.match(refused([])[0] ?? "", /no post without a picture or a video/)
    assert.deepStrictEqual(
      refusePost([square, sized(100, 900), null], {}).map(({ index }) => index),
      [1]
    )
  })
})

describe("the videos of a post on Instagram", () => {
  const { refusals } = makeChecks("instagram")

  it("A video is accepted as a post and as a reel, and a picture is no reel", () => {
    for (const post_type of ["post", "reel", "story"] as const)
      assert.deepStrictEqual(refused([video], { post_type }), [])
    assert.match(refused([square], { post_type: "reel" })[0] ?? "", /makes reels of one video/)
  })

  it("A cover is a second of a reel", () => {
    assert.deepStrictEqual(refused([video], { cover_at: "29.9" }), [])
    assert.match(refused([video], { cover_at: "30" })[0] ?? "", /within the video/)
    assert.match(refused([square], { cover_at: "1" })[0] ?? "", /only for a reel/)
  })

  it.each([
    [{ size: 200_000_000 }, {}, /25 Mbit/],
    [{ durationMs: 61_000 }, { post_type: "story" }, /stories up to 60 s/],
    [{ durationMs: 60_000, size: 100_000_001 }, { post_type: "story" }, /up to 100 MB/]
  ] satisfies ReadonlyArray<readonly [Partial<MediaFacts>, Settings, RegExp]>)(
    "%j is refused for %j",
    (more, settings, reason) => {
      assert.match(refused([{ ...video, ...more }], settings).join(), reason)
    }
  )

  it("The length, codec, size and kind of a file are checked whatever the post is", () => {
    assert.deepStrictEqual(refusals(video), [])
    assert.lengthOf(refusals({ ...video, durationMs: 2_000 }), 1)
    assert.lengthOf(refusals({ ...video, durationMs: 901_000 }), 1)
    assert.match(refusals({ ...video, width: 3840 })[0] ?? "", /up to 1920 pixels wide/)
    assert.match(refusals({ ...video, frameRate: 15 })[0] ?? "", /23 to 60 frames/)
    assert.lengthOf(refusals({ ...video, videoCodec: "vp9" }), 1)
    assert.lengthOf(refusals({ ...video, size: 300_000_001 }), 1)
    assert.lengthOf(refusals({ ...image, contentType: "image/png" }), 1)
    assert.lengthOf(refusals({ ...image, size: 8_388_609 }), 1)
  })
})

describe("the collaborators of a post on Instagram", () => {
  it("Three usernames are accepted, with or without an @", () => {
    assert.deepStrictEqual(refused([square], { collaborators: ["acme", "@tea.time", "a_b"] }), [])
    assert.match(refused([square], { collaborators: ["a", "b", "c", "d"] })[0] ?? "", /3 collaborators/)
    assert.match(refused([square], { collaborators: ["not a name"] })[0] ?? "", /no username “not a name”/)
  })

  it.each(["ada.", ".ada", "a..da", "@", ""])("“%s” is no username", (name) => {
    assert.lengthOf(refused([square], { collaborators: [name] }), 1)
  })

  it("A username is accepted once, however it is written", () => {
    assert.match(refused([square], { collaborators: ["ada", "@Ada"] })[0] ?? "", /“ada” is here twice/)
  })
})

describe("the caption of a post on Instagram", () => {
  it("2,200 UTF-16 code units, 30 hashtags and 20 mentions are accepted", () => {
    const { instagram } = rules
    assert.isTrue(instagram.measure("a".repeat(2_200)).valid)
    assert.isFalse(instagram.measure("👍".repeat(1_101)).valid)
    assert.isUndefined(explainRefusal(instagram, "#a ".repeat(30), true))
    assert.strictEqual(explainRefusal(instagram, "#a ".repeat(31), true)?.code, "text_refused")
    assert.isUndefined(explainRefusal(instagram, "@a ".repeat(20), true))
    assert.strictEqual(explainRefusal(instagram, "@a ".repeat(21), true)?.code, "text_refused")
  })

  it("People are told that a link can't be followed", () => {
    assert.lengthOf(rules.instagram.explainUnlinked?.("Read https://example.com") ?? [], 1)
    assert.lengthOf(rules.instagram.explainUnlinked?.("Read it") ?? [], 0)
  })
})

describe("a post that is scheduled for Instagram", () => {
  const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
  const id = (digit: number) => MediaId.make(`01981ccb-6c31-7d2c-9f47-0000000000${String(digit).padStart(2, "0")}`)
  const file = (digit: number): MediaFile => {
    const { contentType, height, size, width } = square
    const rendition = { hash: "0".repeat(64), contentType, size, width, height }
    return {
      id: id(digit),
      status: "ready",
      size,
      facts: square,
      renditions: { twitter: rendition, instagram: rendition },
      alt: ""
    }
  }
  const library = Array.from({ length: 10 }, (_, digit) => file(digit))
  const planned = (more: Partial<NewPost>) =>
    Result.match(planCreate({ content: "Hello", platforms: ["instagram"], schedule_at: now, ...more }, now, library), {
      onSuccess: () => [],
      onFailure: ({ errors }) => errors.map(({ message, path }) => `${path.join(".")}: ${message}`)
    })
  const media = library.map((each) => ({ id: each.id }))

  it("It has one to ten pictures, where other platforms accept four", () => {
    assert.deepStrictEqual(planned({ media }), [])
    assert.deepStrictEqual(planned({}), ["media: instagram accepts no post without a picture or a video; add one"])
    assert.deepStrictEqual(planned({ media: media.slice(0, 5), platforms: ["instagram", "twitter"] }), [
      "media: twitter accepts 4 files in a post, but this one has 5"
    ])
  })

  it("A refused setting is named by its own path", () => {
    const instagram = { collaborators: ["not a name"], cover_at: "1" }
    assert.deepStrictEqual(planned({ media: media.slice(0, 1), platform_settings: { instagram } }), [
      "platform_settings.instagram.cover_at: instagram takes a cover only for a reel; remove the cover",
      "platform_settings.instagram.collaborators: instagram has no username “not a name” to invite as a collaborator"
    ])
  })

  it("The text of a story is not checked, because a story has none, but other platforms show it", () => {
    const story = { content: "a".repeat(2_201), media: media.slice(0, 1) }
    const platform_settings = { instagram: { post_type: "story" } } as const
    assert.deepStrictEqual(planned({ ...story, platform_settings }), [])
    assert.lengthOf(planned(story), 1)
    assert.lengthOf(planned({ ...story, platform_settings, platforms: ["instagram", "twitter"] }), 1)
  })

  it("A draft may lack its picture", () => {
    assert.deepStrictEqual(planned({ status: "draft" }), [])
  })

  it("A thread needs a text of its own for Instagram, which is posted alone", () => {
    const thread = [{ content: "Second" }]
    assert.match(planned({ media: media.slice(0, 1), thread })[0] ?? "", /instagram has no threads; give it a text/)
    const platform_overrides = { instagram: "All of it" }
    assert.deepStrictEqual(planned({ media: media.slice(0, 1), thread, platform_overrides }), [])
  })
})
