import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { MediaId } from "../../../src/domain/ids.ts"
import type { MediaFacts, MediaFile } from "../../../src/domain/media/media.ts"
import type { Library } from "../../../src/domain/media/mediaPlan.ts"
import type { NewPost } from "../../../src/domain/posts/newPost.ts"
import type { StoredPost } from "../../../src/domain/posts/postPlan.ts"
import { findPostDoubts } from "../../../src/domain/posts/postDoubts.ts"
import { planCreate, planPublish, planUpdate, rules } from "../../support/plans.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const id = (digit: number) => MediaId.make(`01981ccb-6c31-7d2c-9f47-00000000000${digit}`)

const facts: MediaFacts = {
  type: "image",
  contentType: "image/jpeg",
  size: 100,
  width: 40,
  height: 30,
  durationMs: null,
  frames: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  animated: false
}
const rendition = { hash: "0".repeat(64), contentType: "image/jpeg", size: 100, width: 40, height: 30 }

const videoRendition = { ...rendition, contentType: "video/mp4", width: 64, height: 64 }

const file = (digit: number, more: Partial<MediaFile> = {}): MediaFile => ({
  id: id(digit),
  status: "ready",
  size: 100,
  facts,
  renditions: { twitter: rendition, bluesky: rendition },
  alt: `File ${digit}`,
  ...more
})
const processing = (digit: number) => file(digit, { status: "processing", facts: null, renditions: {} })
const video = (digit: number) =>
  file(digit, {
    facts: { ...facts, type: "video", contentType: "video/mp4", durationMs: 1000, videoCodec: "h264" },
    renditions: { twitter: videoRendition, bluesky: videoRendition }
  })

/** Longer than some accounts on X may post. */
const longVideo = (digit: number) =>
  file(digit, { ...video(digit), facts: { ...(video(digit).facts ?? facts), durationMs: 200_000 } })

describe("doubts about the files of a new post", () => {
  const doubtsOf = (more: Partial<NewPost>) =>
    findPostDoubts(rules, { ...post, ...more }, [longVideo(1), video(2)]).map(({ code, message, path }) => [
      path.join("."),
      code,
      message.split(" ")[0]
    ])

  it("A file that a platform may refuse later is named with its place, in the post and in its thread", () => {
    const thread = [
      { content: "2", media: [{ id: id(2) }] },
      { content: "3", media: [{ id: id(1) }] }
    ]
    assert.deepStrictEqual(doubtsOf({ media: [{ id: id(1) }], thread }), [
      ["media.0", "file_doubtful", "twitter"],
      ["thread.1.media.0", "file_doubtful", "twitter"]
    ])
  })

  it("It keeps nothing from being scheduled, and other platforms have no doubt", () => {
    assert.isTrue(Result.isSuccess(created({ media: [{ id: id(1) }] }, [longVideo(1)])))
    assert.deepStrictEqual(doubtsOf({ media: [{ id: id(1) }], platforms: ["bluesky"] }), [])
  })
})

const copy = (digit: number, alt = `File ${digit}`) => ({
  id: id(digit),
  type: "image" as const,
  content_type: "image/jpeg",
  size: 100,
  width: 40,
  height: 30,
  duration_ms: null,
  alt
})

const post: NewPost = { content: "Hello", platforms: ["twitter", "bluesky"], schedule_at: now }
const created = (more: Partial<NewPost>, library: ReadonlyArray<MediaFile> = []) =>
  planCreate({ ...post, ...more }, now, library)

/** The tag of the error and the paths that it names; "accepted" without an error. */
const outcome = (planned: Result.Result<unknown, { readonly _tag: string }>) => {
  if (Result.isSuccess(planned)) return "accepted"
  const error = planned.failure
  const paths = "errors" in error && Array.isArray(error.errors) ? error.errors.map(({ path }) => path.join(".")) : []
  return [error._tag, ...paths].join(" ")
}

const stored: StoredPost = {
  status: "scheduled",
  content: "Hello",
  platforms: ["twitter", "bluesky"],
  scheduledAt: now,
  tags: [],
  overrides: {},
  settings: {},
  media: [copy(1)],
  thread: [],
  revision: 1,
  createdByKey: null,
  approvalRequestedRevision: null,
  maybePublished: false,
  isSomewhereOut: false,
  hasUnknownOutcome: false,
  isBegun: false,
  isCopied: false
}

describe("a post with media", () => {
  it("A post copies what is known of its files, with its own alternative text or the file's", () => {
    const planned = created({ media: [{ id: id(1) }, { id: id(2), alt: "Ours" }] }, [file(2), file(1)])
    assert.deepStrictEqual(
      Result.map(planned, ({ media }) => media),
      Result.succeed([copy(1), copy(2, "Ours")])
    )
  })

  it("The text may be blank where there is media, also on one platform alone", () => {
    const media = [{ id: id(1) }]
    assert.strictEqual(outcome(created({ content: "", media }, [file(1)])), "accepted")
    assert.strictEqual(outcome(created({ platform_overrides: { bluesky: "" }, media }, [file(1)])), "accepted")
    assert.strictEqual(outcome(created({ content: " " })), "InvalidRequest content")
    assert.strictEqual(outcome(created({ content: " ", status: "draft" })), "InvalidRequest content")
    assert.strictEqual(
      outcome(created({ platform_overrides: { bluesky: "" } })),
      "InvalidRequest platform_overrides.bluesky"
    )
  })

  it("Files that the workspace does not have, that failed, or that are named twice are all listed", () => {
    const media = [{ id: id(1) }, { id: id(2) }, { id: id(3) }, { id: id(1) }]
    const planned = created({ media }, [file(1), file(2, { status: "failed", facts: null })])
    assert.strictEqual(outcome(planned), "InvalidRequest media.1.id media.2.id media.3.id")
    assert.strictEqual(
      outcome(created({ media, status: "draft" }, [file(1), file(2, { status: "failed", facts: null })])),
      "InvalidRequest media.1.id media.2.id media.3.id"
    )
  })

  it("Images and a video together are refused", () => {
    assert.strictEqual(
      outcome(created({ media: [{ id: id(1) }, { id: id(2) }] }, [file(1), video(2)])),
      "InvalidRequest media"
    )
  })

  it("A file that failed is refused with the reason", () => {
    const failed = { ...processing(1), status: "failed", failure: "The video has no picture." } as const
    const errors = (library: Library) =>
      Result.match(created({ media: [{ id: id(1) }] }, library), {
        onFailure: (failure) => failure.errors.map(({ message }) => message),
        onSuccess: () => []
      })
    assert.deepStrictEqual(errors([failed]), [
      "This file could not be processed: The video has no picture. Use another file, or mend this one and upload it again"
    ])
    assert.match(errors([{ ...failed, failure: null }])[0] ?? "", /upload it again, or use another file/)
  })

  it("A file that is being processed can be drafted, and has a problem of its own when it is scheduled", () => {
    const media = [{ id: id(1) }]
    assert.strictEqual(outcome(created({ media, status: "draft" }, [processing(1)])), "accepted")
    assert.strictEqual(outcome(created({ media }, [processing(1)])), "MediaNotReady media.0.id")
    assert.strictEqual(
      outcome(created({ media, content: "x".repeat(281) }, [processing(1)])),
      "InvalidRequest media.0.id content"
    )
  })

  it("What a platform does not take is refused when the post is scheduled, and drafted", () => {
    const media = [{ id: id(1), alt: "x".repeat(1001) }]
    assert.strictEqual(outcome(created({ media }, [file(1)])), "InvalidRequest media.0.alt")
    assert.strictEqual(outcome(created({ media, platforms: ["bluesky"] }, [file(1)])), "accepted")
    assert.strictEqual(outcome(created({ media, status: "draft" }, [file(1)])), "accepted")
  })

  it("Alternative texts count among the 64,000 bytes of a post", () => {
    const media = [1, 2, 3, 4].map((digit) => ({ id: id(digit), alt: "日".repeat(2000) }))
    const library = [1, 2, 3, 4].map((digit) => file(digit))
    const platform_overrides = { instagram: "日".repeat(10_000), youtube: "x".repeat(9_995) }
    const more = { media, platform_overrides, status: "draft" as const }
    assert.strictEqual(outcome(created({ ...more, content: "Hello" }, library)), "accepted")
    assert.strictEqual(outcome(created({ ...more, content: "Hello!" }, library)), "InvalidRequest ")
  })
})

describe("changes of media", () => {
  const updated = (
    patch: Parameters<typeof planUpdate>[1],
    library = [file(1), file(2)],
    from: Partial<StoredPost> = {}
  ) => planUpdate({ ...stored, ...from }, patch, now, library)
  const revision = (planned: ReturnType<typeof updated>) => Result.map(planned, (change) => change.revision)

  it("The revision grows with the files, their order and their alternative texts, and not with what stays", () => {
    assert.deepStrictEqual(revision(updated({ media: [{ id: id(1) }] })), Result.succeed(1))
    assert.deepStrictEqual(revision(updated({ media: [{ id: id(1), alt: "Ours" }] })), Result.succeed(2))
    assert.deepStrictEqual(revision(updated({ media: [{ id: id(2) }] })), Result.succeed(2))
    assert.deepStrictEqual(revision(updated({ media: [] })), Result.succeed(2))
    assert.deepStrictEqual(revision(updated({})), Result.succeed(1))
  })

  it("An alternative text of the post's own stays when the file's changes", () => {
    const planned = updated({ tags: ["a"] }, [file(1, { alt: "Changed" })])
    assert.deepStrictEqual(
      Result.map(planned, ({ media }) => media),
      Result.succeed([copy(1)])
    )
  })

  it("A post can't lose its media while its text is blank", () => {
    assert.strictEqual(outcome(updated({ media: [] }, [], { content: "" })), "InvalidRequest content")
  })

  it("Media that an earlier attempt may have published can't be changed", () => {
    const from = { maybePublished: true }
    assert.strictEqual(outcome(updated({ media: [] }, [], from)), "InvalidState")
    assert.strictEqual(outcome(updated({ media: [{ id: id(1), alt: "Ours" }] }, undefined, from)), "InvalidState")
    assert.strictEqual(outcome(updated({ tags: ["a"] }, undefined, from)), "accepted")
  })

  it("A draft keeps the copy of a file that is gone, and can't be scheduled with it", () => {
    assert.strictEqual(outcome(updated({ content: "Other" }, [], { status: "draft" })), "accepted")
    assert.strictEqual(outcome(updated({ status: "scheduled" }, [], { status: "draft" })), "InvalidRequest media.0.id")
  })

  it("Publishing checks the files as they are by then", () => {
    assert.strictEqual(outcome(planPublish({ ...stored, status: "draft" }, [file(1)])), "accepted")
    assert.strictEqual(
      outcome(planPublish({ ...stored, status: "draft" }, [processing(1)])),
      "MediaNotReady media.0.id"
    )
    assert.strictEqual(outcome(planPublish({ ...stored, status: "failed" }, [])), "InvalidRequest media.0.id")
  })
})
