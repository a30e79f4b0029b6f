import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { MediaId } from "../../../src/domain/ids.ts"
import type { MediaFacts, MediaFile } from "../../../src/domain/media/media.ts"
import type { NewPost } from "../../../src/domain/posts/newPost.ts"
import { refusePost } from "../../../src/platforms/tiktok/rules/post.ts"
import { image, video } from "../../support/mediaChecks.ts"
import { planCreate } from "../../support/plans.ts"

type Settings = NonNullable<Parameters<typeof refusePost>[1]["tiktok"]>

const refused = (files: ReadonlyArray<MediaFacts | null>, tiktok: Settings = {}) =>
  refusePost(files, { tiktok }).map(({ reason, setting }) => [setting, reason])

describe("the settings of a post on TikTok", () => {
  it("Somebody has to choose who can see the video", () => {
    assert.deepStrictEqual(refused([video]), [
      ["privacy_level", "needs to know who can see the video; choose one of the account's options"]
    ])
    for (const privacy_level of ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] as const) {
      assert.deepStrictEqual(refused([video], { privacy_level }), [])
    }
  })

  it("Branded content is for others, and a caption has a limit", () => {
    const wrong = refused([video], {
      privacy_level: "SELF_ONLY",
      is_branded_content: true,
      tiktok_title: "x".repeat(2_201)
    })
    assert.deepStrictEqual(wrong, [
      ["privacy_level", "shows branded content to others; choose who else can see the video"],
      ["tiktok_title", "accepts 2200 characters, but this caption has 2201"]
    ])
  })

  it("A post without a video is refused", () => {
    const privacy_level = "SELF_ONLY"
    assert.deepStrictEqual(refused([], { privacy_level }), [[undefined, "accepts no post without a video; add one"]])
  })
})

const id = MediaId.make("01a1fc17-0000-7000-8000-000000000101")
const other = MediaId.make("01a1fc17-0000-7000-8000-000000000102")
const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

const libraryOf = (facts: MediaFacts, files: ReadonlyArray<MediaId>) =>
  files.map((each): MediaFile => {
    const { contentType, height, size, width } = facts
    const rendition = { hash: "a", contentType, size, width, height }
    return { id: each, status: "ready", size: 4, facts, renditions: { tiktok: rendition }, alt: "A drop" }
  })

const planned = (facts: MediaFacts, more: Partial<NewPost> = {}, files: ReadonlyArray<MediaId> = [id]) => {
  const media = files.map((each) => ({ id: each }))
  return Result.match(
    planCreate({ content: "Hello", platforms: ["tiktok"], media, ...more }, now, libraryOf(facts, files)),
    {
      onSuccess: () => [],
      onFailure: ({ errors }) => errors.map(({ message, path }) => `${path.join(".")}: ${message}`)
    }
  )
}

const chosen = { schedule_at: now, platform_settings: { tiktok: { privacy_level: "SELF_ONLY" } } } as const

describe("a scheduled post on TikTok", () => {
  it("It names each wrong field", () => {
    assert.deepStrictEqual(planned(video, chosen), [])
    assert.deepStrictEqual(planned(video, { schedule_at: now }), [
      "platform_settings.tiktok.privacy_level: tiktok needs to know who can see the video; choose one of the account's options"
    ])
    assert.deepStrictEqual(planned(image, chosen), ["media.0: tiktok accepts no images"])
    assert.lengthOf(planned(image, { schedule_at: now, content: "x".repeat(2_201) }), 3)
    assert.include(planned(video, chosen, [id, other]).join("\n"), "accepts 1 file in a post, but this one has 2")
    assert.match(planned({ ...video, frameRate: 12 }, chosen)[0] ?? "", /23 to 60 frames per second/)
    assert.match(planned({ ...video, durationMs: 600_001 }, chosen)[0] ?? "", /600 s at most/)
    assert.match(planned({ ...video, height: 300, width: 400 }, chosen)[0] ?? "", /at least 360x360/)
  })

  it("A text that the caption replaces is not judged", () => {
    const long = { ...chosen, content: "z".repeat(2_201) }
    assert.deepStrictEqual(planned(video, long), [
      "content: tiktok accepts a length of 2200 characters, but this text has 2201"
    ])
    const withCaption = (tiktok_title: string) =>
      planned(video, { ...long, platform_settings: { tiktok: { privacy_level: "SELF_ONLY", tiktok_title } } })
    assert.deepStrictEqual(withCaption("A drop"), [])
    assert.lengthOf(withCaption(" "), 1)
    assert.deepStrictEqual(withCaption("x".repeat(2_201)), [
      "platform_settings.tiktok.tiktok_title: tiktok accepts 2200 characters, but this caption has 2201"
    ])
  })

  it("A draft may lack all of it", () => {
    assert.deepStrictEqual(planned(image), [])
  })
})
