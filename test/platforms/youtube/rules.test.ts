import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPostUrl } from "../../../src/domain/publishing/postUrl.ts"
import type { MediaFacts } from "../../../src/domain/media/media.ts"
import { refusePost } from "../../../src/platforms/youtube/rules/post.ts"
import { youtubeRules } from "../../../src/platforms/youtube/rules/rules.ts"
import { tagsLength } from "../../../src/platforms/youtube/rules/tags.ts"
import { image, makeChecks, video } from "../../support/mediaChecks.ts"

type Settings = NonNullable<Parameters<typeof refusePost>[1]["youtube"]>

const refused = (settings: Settings, files: ReadonlyArray<MediaFacts | null> = [video]) =>
  refusePost(files, { youtube: settings })

const title = "A talk"

describe("A post on YouTube", () => {
  it("It is one video with a title", () => {
    assert.deepStrictEqual(refused({ title }), [])
    assert.deepStrictEqual(refused({ title }, [null]), [])
    assert.deepStrictEqual(
      refused({ title: " " }, []).map(({ setting }) => setting),
      [undefined, "title"]
    )
    assert.deepStrictEqual(
      refusePost([video], {}).map(({ setting }) => setting),
      ["title"]
    )
    assert.deepStrictEqual(makeChecks("youtube").refusals(image), ["media.0: youtube accepts no images"])
    assert.strictEqual(youtubeRules.media.maxFiles, 1)
  })

  it("Each wrong setting is named", () => {
    const wrong = refused({
      title: `${"x".repeat(100)}<`,
      youtube_tags: ["a>b"]
    })
    assert.deepStrictEqual(
      wrong.map(({ setting }) => setting),
      ["title", "title", "youtube_tags"]
    )
  })

  it("Everything that is wrong with one setting is said", () => {
    const reasonsOf = (settings: Settings) =>
      refused(settings).map(({ reason }) => reason.split(" ").slice(0, 3).join(" "))
    assert.deepStrictEqual(reasonsOf({ title: "<".repeat(200) }), ["accepts titles of", "accepts no <"])
    assert.deepStrictEqual(reasonsOf({ title, youtube_tags: [" ", "<".repeat(501)] }), [
      "accepts no empty",
      "accepts tags of",
      "accepts no <"
    ])
  })

  it("A title has 100 characters at most, and no brackets", () => {
    assert.deepStrictEqual(refused({ title: "x".repeat(100) }), [])
    assert.deepStrictEqual(refused({ title: ` ${"x".repeat(100)} ` }), [])
    assert.match(refused({ title: "x".repeat(101) })[0]?.reason ?? "", /up to 100 characters, but this one has 101/)
    for (const bracket of ["<", ">"]) assert.match(refused({ title: `a ${bracket} b` })[0]?.reason ?? "", /no < and >/)
  })

  it("A description has 5,000 bytes at most, and no brackets", () => {
    assert.deepStrictEqual(youtubeRules.measure("é".repeat(2_500)), { length: 5_000, limit: 5_000, valid: true })
    assert.isFalse(youtubeRules.measure("é".repeat(2_501)).valid)
    assert.isUndefined(youtubeRules.refuseText?.("Coffee & cake"))
    assert.match(youtubeRules.refuseText?.("a <b>") ?? "", /no < and > in a description/)
  })

  it("Tags count with commas, and with quotes around those with a space", () => {
    assert.strictEqual(tagsLength([]), 0)
    assert.strictEqual(tagsLength(["Foo Baz"]), 9)
    assert.strictEqual(tagsLength(["Foo", "Baz"]), 7)
    const tag = "x".repeat(100)
    assert.deepStrictEqual(refused({ title, youtube_tags: [tag, tag, tag, tag, "x".repeat(96)] }), [])
    assert.match(
      refused({ title, youtube_tags: [tag, tag, tag, tag, `${"x".repeat(94)} x`] })[0]?.reason ?? "",
      /tags of up to 500 characters in all.+ but these have 502/
    )
    assert.match(refused({ title, youtube_tags: ["coffee", " "] })[0]?.reason ?? "", /no empty tags/)
  })

  it("Any common video is taken, up to 1 GB and 12 hours, and a long one only from some channels", () => {
    const { doubts, refusals, takes } = makeChecks("youtube")
    for (const contentType of ["video/mp4", "video/quicktime", "video/webm"])
      assert.isTrue(takes({ ...video, contentType }))
    assert.match(refusals({ ...video, size: 1_000_000_001 })[0] ?? "", /1,000 MB/)
    assert.isFalse(takes({ ...video, durationMs: 43_200_001 }))
    assert.deepStrictEqual(doubts({ ...video, durationMs: 900_000 }), [])
    assert.match(doubts({ ...video, durationMs: 900_001 })[0] ?? "", /more than 900 s only from some accounts/)
  })
})

describe("The address of a video", () => {
  it.each([
    "https://www.youtube.com/watch?v=dQx5mQ1tZ0a",
    "https://www.youtube.com/watch?app=desktop&v=dQx5mQ1tZ0a&t=5s",
    "https://m.youtube.com/watch?v=dQx5mQ1tZ0a",
    "https://youtu.be/dQx5mQ1tZ0a?si=abc",
    "https://www.youtube.com/shorts/dQx5mQ1tZ0a",
    "https://youtube.com/live/dQx5mQ1tZ0a"
  ])("%s is read", (url) => {
    assert.strictEqual(Result.getOrThrow(readPostUrl("youtube", url)).key, "dQx5mQ1tZ0a")
  })

  it.each([
    "https://www.youtube.com/watch",
    "https://www.youtube.com/watch?v=short",
    "https://example.com/watch?v=dQx5mQ1tZ0a"
  ])("%s is refused", (url) => {
    assert.isTrue(Result.isFailure(readPostUrl("youtube", url)))
  })
})
