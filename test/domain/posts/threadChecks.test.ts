import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { MediaId } from "../../../src/domain/ids.ts"
import { type MediaFile, toPostMedia } from "../../../src/domain/media/media.ts"
import type { NewPost, PostPatch } from "../../../src/domain/posts/newPost.ts"
import type { StoredPost } from "../../../src/domain/posts/postPlan.ts"
import { platformTexts } from "../../../src/domain/posts/postTexts.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"
import { findTextIssues, planCreate, planPublish, planUpdate } from "../../support/plans.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const platforms = ["twitter", "bluesky"] as const
const long = "x".repeat(281)

const id = MediaId.make("01981ccb-6c31-7d2c-9f47-000000000001")
const processing: MediaFile = { id, status: "processing", size: 100, facts: null, renditions: {}, alt: "" }
const other = MediaId.make("01981ccb-6c31-7d2c-9f47-000000000002")

type PlanError = NonNullable<Extract<ReturnType<typeof planCreate>, { readonly _tag: "Failure" }>["failure"]>

/** The tag of the error, and what is wrong by its place; "accepted" without an error. */
const outcome = (
  planned: Result.Result<unknown, PlanError | { readonly _tag: "InvalidState"; readonly message: string }>
) =>
  Result.match(planned, {
    onSuccess: () => ["accepted"],
    onFailure: (error) => [
      error._tag,
      ...("errors" in error ? error.errors.map(({ message, path }) => `${path.join(".")}: ${message}`) : [])
    ]
  })

const scheduled = (thread: NewPost["thread"], more: Partial<NewPost> = {}, library: ReadonlyArray<MediaFile> = []) =>
  planCreate({ content: "First", platforms, schedule_at: now, ...(thread && { thread }), ...more }, now, library)

const draft = (thread: NonNullable<NewPost["thread"]>) => planCreate({ content: "First", platforms, thread }, now)

const stored: StoredPost = {
  status: "scheduled",
  content: "First",
  platforms,
  scheduledAt: now,
  tags: [],
  overrides: {},
  settings: {},
  media: [],
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

const part = { content: "Second", platform_overrides: {}, media: [], card: null, platforms: null }

const updated = (patch: PostPatch, before: Partial<StoredPost> = {}) => planUpdate({ ...stored, ...before }, patch, now)

describe("A thread for a platform without threads", () => {
  const check = (overrides: object, part: object) =>
    findTextIssues({
      content: "First",
      platforms: ["threads", "linkedin"],
      overrides,
      media: [],
      thread: [{ content: "Second" }, { content: "Third", ...part }]
    }).map(({ code, path }) => [code, ...path])

  it("It gets a text of its own alone, or nothing", () => {
    assert.deepStrictEqual(check({}, {}), [["thread_refused", "thread", 0]])
    assert.deepStrictEqual(check({ linkedin: "All of it" }, {}), [])
  })

  it.each([
    { platforms: ["linkedin"] },
    { platforms: ["threads", "linkedin"] },
    { platform_overrides: { linkedin: "3" } }
  ])("A part that is meant for it is refused, because it would be lost: %j", (part) => {
    assert.deepStrictEqual(check({ linkedin: "All of it" }, part), [["thread_refused", "thread", 1]])
  })
})

describe("the parts of a thread", () => {
  it("Parts that all platforms take are accepted", () => {
    assert.deepStrictEqual(outcome(scheduled([{ content: "Second" }, { content: "Third", platforms: ["bluesky"] }])), [
      "accepted"
    ])
  })

  it("A part without text and files is refused, in a draft too", () => {
    const expected = ["InvalidRequest", "thread.1.content: Expected a text that is not blank"]
    assert.deepStrictEqual(outcome(draft([{ content: "Second" }, { content: " \n" }])), expected)
    assert.deepStrictEqual(outcome(scheduled([{ content: "Second" }, { content: "" }])), expected)
  })

  it("A part with files needs no text", () => {
    assert.deepStrictEqual(outcome(scheduled([{ content: "", media: [{ id }] }], {}, [processing])), [
      "MediaNotReady",
      "thread.0.media.0.id: This file is still being processed; try again in a moment"
    ])
  })

  it("The files of a part are checked as those of a post are, at their place", () => {
    const thread = [{ content: "Second" }, { content: "Third", media: [{ id: other }, { id }, { id }] }]
    assert.deepStrictEqual(outcome(scheduled(thread, {}, [processing])), [
      "InvalidRequest",
      "thread.1.media.0.id: There is no such file in this workspace; it may have expired. Upload it again",
      "thread.1.media.2.id: Expected each file once",
      "thread.1.media.1.id: This file is still being processed; try again in a moment",
      "thread.1.media.2.id: This file is still being processed; try again in a moment"
    ])
  })

  it("A part is for platforms of the post alone, in a draft too", () => {
    const thread = [{ content: "Second", platforms: ["bluesky", "linkedin"] }] as const
    const expected = ["InvalidRequest", "thread.0.platforms.1: Expected one of the post's platforms"]
    assert.deepStrictEqual(outcome(draft(thread)), expected)
    assert.deepStrictEqual(outcome(scheduled(thread)), expected)
    assert.deepStrictEqual(outcome(updated({ thread })), expected)
  })

  it("A part for a platform that is taken from the post stays, and goes nowhere", () => {
    const thread = [{ ...part, platforms: ["bluesky"] as const }]
    assert.deepStrictEqual(outcome(updated({ platforms: ["twitter"] }, { thread })), ["accepted"])
    const texts = platformTexts({ content: "First", overrides: {}, media: [], platforms: ["twitter"], thread })
    assert.deepStrictEqual(
      texts.map(({ text }) => text),
      ["First"]
    )
  })

  it("The files of a part that goes nowhere are not checked for its platform", () => {
    const gif: MediaFile = {
      ...processing,
      status: "ready",
      facts: { ...imageFacts, type: "gif", contentType: "image/gif", animated: true }
    }
    const thread = [{ ...part, media: [toPostMedia(gif, "")], platforms: ["bluesky"] as const }]
    const refused = planPublish({ ...stored, status: "draft", thread }, [gif])
    assert.deepStrictEqual(outcome(refused).slice(0, 1), ["InvalidRequest"])
    assert.deepStrictEqual(
      outcome(planPublish({ ...stored, status: "draft", platforms: ["twitter"], thread }, [gif])),
      ["accepted"]
    )
  })

  it("A part whose file there is not has no other fault", () => {
    assert.deepStrictEqual(outcome(scheduled([{ content: "", media: [{ id: other }] }])), [
      "InvalidRequest",
      "thread.0.media.0.id: There is no such file in this workspace; it may have expired. Upload it again"
    ])
  })

  it("A part that is too long is named with its platform and its number, unless it is in a draft", () => {
    const thread = [{ content: long }, { content: "short", platform_overrides: { bluesky: "y".repeat(301) } }]
    assert.deepStrictEqual(outcome(draft(thread)), ["accepted"])
    const refused = scheduled(thread)
    assert.isTrue(Result.isFailure(refused))
    if (Result.isSuccess(refused)) return
    assert.strictEqual(
      refused.failure.message,
      "twitter accepts a length of 280 weighted characters, but part 2 has 281; bluesky accepts a length of 300 graphemes, but part 3 has 301"
    )
    assert.deepStrictEqual<unknown>("violations" in refused.failure && refused.failure.violations, [
      { platform: "twitter", length: 281, limit: 280, unit: "weighted characters", part: 2 },
      { platform: "bluesky", length: 301, limit: 300, unit: "graphemes", part: 3 }
    ])
    assert.deepStrictEqual(outcome(refused), [
      "ContentTooLong",
      "thread.0.content: twitter accepts a length of 280 weighted characters, but part 2 has 281",
      "thread.1.platform_overrides.bluesky: bluesky accepts a length of 300 graphemes, but part 3 has 301"
    ])
  })

  it("The content is part 1 of a thread, and has no number without one", () => {
    const violations = (planned: ReturnType<typeof planCreate>) =>
      Result.isFailure(planned) && "violations" in planned.failure ? planned.failure.violations : []
    const violation = { platform: "twitter", length: 281, limit: 280, unit: "weighted characters" } as const
    assert.deepStrictEqual(violations(scheduled([{ content: "Second" }], { content: long })), [
      { ...violation, part: 1 }
    ])
    assert.deepStrictEqual(violations(scheduled([], { content: long })), [violation])
    assert.deepStrictEqual(violations(scheduled(undefined, { content: long })), [violation])
  })

  it("The number counts the parts that the platform gets", () => {
    const thread = [{ content: "Second", platforms: ["bluesky"] as const }, { content: long }]
    assert.deepStrictEqual(outcome(scheduled(thread)).slice(1), [
      "thread.1.content: twitter accepts a length of 280 weighted characters, but part 2 has 281"
    ])
  })

  it("What a platform refuses in a part is told at its place", () => {
    const thread = [{ content: "$AAPL $TSLA" }, { content: "Third", platform_overrides: { twitter: " " } }]
    assert.deepStrictEqual(outcome(scheduled(thread)), [
      "InvalidRequest",
      "thread.0.content: twitter accepts one cashtag, but this text has 2: $AAPL, $TSLA",
      "thread.1.platform_overrides.twitter: Expected a text that is not blank"
    ])
  })

  it("A text that is too long and other faults are told together", () => {
    assert.deepStrictEqual(outcome(scheduled([{ content: long }, { content: "" }])), [
      "InvalidRequest",
      "thread.1.content: Expected a text that is not blank",
      "thread.0.content: twitter accepts a length of 280 weighted characters, but part 2 has 281"
    ])
  })

  it("The parts of a post that is changed or published are checked", () => {
    const thread = [{ ...part, content: long }]
    const expected = [
      "ContentTooLong",
      "thread.0.content: twitter accepts a length of 280 weighted characters, but part 2 has 281"
    ]
    assert.deepStrictEqual(outcome(updated({ thread: [{ content: long }] })), expected)
    assert.deepStrictEqual(outcome(updated({ status: "scheduled" }, { status: "draft", thread })), expected)
    assert.deepStrictEqual(outcome(planPublish({ ...stored, status: "draft", thread })), expected)
    assert.deepStrictEqual(outcome(updated({ thread: [{ content: long }] }, { status: "draft" })), ["accepted"])
    assert.deepStrictEqual(outcome(updated({ thread: [{ content: "" }] }, { status: "draft" })), [
      "InvalidRequest",
      "thread.0.content: Expected a text that is not blank"
    ])
  })

  it("The parts count in the size of a post, with their overrides and alternative texts", () => {
    const thread = Array.from({ length: 8 }, (_, index) => ({
      content: `${index}${"a".repeat(3999)}`,
      platform_overrides: { linkedin: "b".repeat(4000) }
    }))
    const [size] = outcome(draft([...thread, { content: "c" }])).slice(1)
    assert.deepStrictEqual(outcome(planCreate({ content: "", platforms, thread, media: [] }, now)).slice(1), [
      "content: Expected a text that is not blank"
    ])
    assert.strictEqual(
      size,
      ": content, platform_overrides, platform_settings, tags, thread and alt texts together may have 64,000 bytes, but these have 64,006"
    )
  })

  it("Of a post that is too large not all parts are measured", () => {
    const thread = Array.from({ length: 24 }, () => ({ content: "a".repeat(10_000) }))
    const texts = platformTexts({ content: "First", overrides: {}, media: [], platforms, thread })
    assert.lengthOf(texts, 2 * 7)
  })
})

describe("a thread on a platform without threads", () => {
  const thread = [{ content: "Second" }]
  const onLinkedin = (more: Partial<NewPost> = {}) =>
    outcome(scheduled(thread, { platforms: ["twitter", "linkedin"], ...more }))
  const refused =
    "linkedin has no threads; give it a text of its own in platform_overrides, which is then posted alone, or leave it out of the parts' platforms"

  it("It is refused when it is scheduled, with what helps", () => {
    assert.deepStrictEqual(onLinkedin(), ["InvalidRequest", `thread.0: ${refused}`])
    assert.deepStrictEqual(onLinkedin({ thread: [{ content: "Other", platforms: ["twitter"] }, ...thread] }), [
      "InvalidRequest",
      `thread.1: ${refused}`
    ])
    assert.deepStrictEqual(outcome(draft(thread)), ["accepted"])
  })

  it("With a text of its own, or without parts for it, the platform gets one post", () => {
    assert.deepStrictEqual(onLinkedin({ platform_overrides: { linkedin: "All of it" } }), ["accepted"])
    assert.deepStrictEqual(onLinkedin({ thread: [{ content: "Second", platforms: ["twitter"] }] }), ["accepted"])
    const post = { content: "First", media: [], platforms: ["twitter", "linkedin"] as const, thread }
    assert.deepStrictEqual(
      platformTexts({ ...post, overrides: { linkedin: "All of it" } }).map(({ platform, text }) => [platform, text]),
      [
        ["twitter", "First"],
        ["twitter", "Second"],
        ["linkedin", "All of it"]
      ]
    )
  })
})

describe("parts with the same text", () => {
  const repeats = (thread: NonNullable<NewPost["thread"]>, more: Partial<NewPost> = {}) =>
    outcome(scheduled(thread, more, [processing, { ...processing, id: other }])).filter((issue) =>
      issue.includes("refuses")
    )

  it("A text that X has already is refused at the later part", () => {
    assert.deepStrictEqual(repeats([{ content: "👇" }, { content: "👇" }, { content: "First" }]), [
      "thread.1.content: twitter refuses repeated texts: part 3 repeats part 2",
      "thread.2.content: twitter refuses repeated texts: part 4 repeats part 1"
    ])
  })

  it.each([
    ["white space", " more \n\n to  come ", "more to come"],
    ["a character that nobody sees", "more\u200b", "more"],
    ["the composition of a letter", "re\u0301sume\u0301", "résumé"],
    ["a variation selector", "❤\ufe0f", "❤"]
  ])("A text that differs by %s alone is the same", (_, left, right) => {
    assert.deepStrictEqual(repeats([{ content: left }, { content: right }]), [
      "thread.1.content: twitter refuses repeated texts: part 3 repeats part 2"
    ])
  })

  it("Texts that differ in case are others", () => {
    assert.deepStrictEqual(repeats([{ content: "more" }, { content: "More" }]), [])
  })

  it("The texts that X gets count, and not those of other platforms", () => {
    const same = { content: "more" }
    assert.deepStrictEqual(repeats([same, { ...same, platform_overrides: { twitter: "other" } }]), [])
    assert.deepStrictEqual(repeats([same, { ...same, platforms: ["bluesky"] }]), [])
    assert.deepStrictEqual(repeats([same, same], { platforms: ["bluesky"] }), [])
    assert.deepStrictEqual(repeats([same, { content: "other", platform_overrides: { twitter: "more" } }]), [
      "thread.1.platform_overrides.twitter: twitter refuses repeated texts: part 3 repeats part 2"
    ])
  })

  it("Files beside a text don't make it another one, and files without a text are no repetition", () => {
    const files = [{ id }]
    assert.lengthOf(
      repeats([
        { content: "more", media: files },
        { content: "more", media: [{ id: other }] }
      ]),
      1
    )
    assert.deepStrictEqual(
      repeats([
        { content: "", media: files },
        { content: " ", media: [{ id: other }] }
      ]),
      []
    )
  })

  it("A draft may repeat a text", () => {
    assert.deepStrictEqual(outcome(draft([{ content: "First" }])), ["accepted"])
  })
})

describe("findTextIssues", () => {
  it("A post without a thread has the issues that it had", () => {
    const texts = { content: long, overrides: { bluesky: " " }, media: [], platforms, thread: [] }
    assert.deepStrictEqual(findTextIssues(texts), [
      { path: ["platform_overrides", "bluesky"], message: "Expected a text that is not blank", code: "text_blank" },
      {
        path: ["content"],
        message: "twitter accepts a length of 280 weighted characters, but this text has 281",
        code: "text_too_long",
        facts: { platform: "twitter", length: 281, limit: 280, unit: "weighted characters" }
      }
    ])
  })
})
