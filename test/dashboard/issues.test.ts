import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import { CreatePost } from "../../src/api/posts/postBodies.ts"
import { describeRefusal, isRefusedNow, sortIssues } from "../../src/dashboard/pages/compose/issues.ts"
import type { Issue } from "../../src/domain/errors.ts"
import type { IssueMeaning } from "../../src/domain/issueCodes.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { listIssues } from "../../src/http/issues.ts"
import { MediaId } from "../../src/domain/ids.ts"
import { missingTime } from "../../src/domain/posts/postPlan.ts"
import { findBlankTexts, findForeignPlatforms } from "../../src/domain/posts/postTexts.ts"
import { checkPostTime } from "../../src/domain/posts/postTime.ts"
import { findTextIssues, planCreate } from "../support/plans.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const long = { content: "a".repeat(290), overrides: {}, platforms: ["twitter"], media: [], thread: [] } as const

const timeIssue = (time: DateTime.Utc): ReadonlyArray<Issue> =>
  Result.match(checkPostTime(time, now), {
    onFailure: ({ meaning, message }) => [{ path: ["schedule_at"], message, ...meaning }],
    onSuccess: () => []
  })

/** What the service says of a scheduled post with a file that it has not processed. */
const notReady = (() => {
  const id = MediaId.make("01981ccb-6c31-7d2c-9f47-000000000001")
  const file = { id, status: "processing", size: 100, facts: null, renditions: {}, alt: "" } as const
  const post = { content: "Hello", platforms: ["bluesky"], schedule_at: now, media: [{ id }] } as const
  return Result.match(planCreate(post, now, [file]), {
    onFailure: (error) => (error._tag === "MediaNotReady" ? error.errors : []),
    onSuccess: () => []
  })
})()

/** The issues as a later version may word them. */
const reworded = (issues: ReadonlyArray<Issue>) => issues.map((issue) => ({ ...issue, message: "reworded" }))

const shown = (issues: ReadonlyArray<Issue>) => sortIssues(reworded(issues), true)
const chooseTime = "Choose a time from now on, at most 180 days ahead."

describe("What the service says of a post, on the page that writes it", () => {
  it("The excess of a text is counted", () => {
    assert.deepStrictEqual(shown(findTextIssues(long)).part(0).text, ["X accepts 280 characters. This is 10 too many."])
  })

  it("The excess is counted in the platform's unit", () => {
    const text_too_long = { code: "text_too_long", facts: { platform: "threads", limit: 500, length: 624 } } as const
    assert.deepStrictEqual(shown([{ ...text_too_long, path: ["content"], message: "" }]).part(0).text, [
      "Threads accepts 500 bytes. This is 124 too many."
    ])
  })

  it("A part that no platform would get says what helps", () => {
    const refused = {
      code: "thread_refused",
      facts: { platform: "linkedin" },
      path: ["thread", 0],
      message: ""
    } as const
    const on = (...platforms: ReadonlyArray<LivePlatform>) =>
      sortIssues([refused], true, { platforms, showsSettings: true }).part(1).text
    assert.deepStrictEqual(on("linkedin"), [
      "LinkedIn has no threads, so nobody would see this part. Remove it, or choose a platform with threads as well."
    ])
    assert.deepStrictEqual(on("linkedin", "twitter"), [
      "LinkedIn has no threads. Write a text of its own for it, which is then posted alone, or leave it out of the parts."
    ])
  })

  it("Everything that is wrong with a setting is said at its field, but not what is only doubtful", () => {
    const at = (reason: string, code: "setting_refused" | "text_unlinked" = "setting_refused") => ({
      path: ["platform_settings", "tiktok", "tiktok_title"],
      message: "reworded",
      code,
      facts: { platform: "tiktok" as const, reason }
    })
    const marked = sortIssues(
      [at("accepts 2200 characters"), at("accepts no <"), at("makes no links", "text_unlinked")],
      true
    )
    assert.strictEqual(
      marked.setting({ platform: "tiktok", name: "tiktok_title" }),
      "TikTok accepts 2200 characters. TikTok accepts no <."
    )
    assert.deepStrictEqual(marked.part(0).textDoubts, ["TikTok makes no links."])
    assert.isUndefined(marked.setting({ platform: "tiktok", name: "privacy_level" }))
  })

  it("Bytes are named even if the platform usually counts characters", () => {
    const overrides = {}
    const bytes = { content: "👩‍👩‍👧‍👦".repeat(150), overrides, platforms: ["bluesky"], media: [], thread: [] } as const
    assert.match(sortIssues(findTextIssues(bytes), true).part(0).text[0] ?? "", /^Bluesky accepts 3000 bytes\./)
  })

  it("A refused setting is marked at its field, if the form has one", () => {
    const issues = Result.match(
      Schema.decodeResult(CreatePost)({
        content: "Hello",
        platforms: ["threads"],
        platform_settings: { threads: { topic_tag: "coffee.now" } }
      }),
      { onFailure: (error) => listIssues(error), onSuccess: () => [] }
    )
    const own = { platform: "threads", name: "topic_tag" } as const
    const marked = shown(issues)
    assert.strictEqual(
      marked.setting(own),
      "This has to be a topic in one line of up to 50 characters, without #, periods and ampersands."
    )
    assert.deepStrictEqual(marked.other, [])
    const unmarked = sortIssues(issues, true, { platforms: ["threads"], showsSettings: false })
    assert.lengthOf(unmarked.other, 1)
  })

  it("A fault that the form shows keeps a post from being published now, but its time or a running process does not", () => {
    const issue = (code: IssueMeaning["code"], ...path: ReadonlyArray<string>) => ({ code, path, message: "" })
    assert.isFalse(isRefusedNow([issue("time_past", "schedule_at"), issue("file_processing", "media")]))
    assert.isTrue(isRefusedNow([issue("malformed", "platform_settings", "threads", "topic_tag")]))
  })

  it("A text that is not there yet is no error before somebody wants to send it", () => {
    const blank = findBlankTexts({ content: " ", media: [], thread: [] })
    assert.deepStrictEqual(sortIssues(reworded(blank), false).part(0).text, [])
    assert.deepStrictEqual(sortIssues(reworded(blank), true).part(0).text, [
      "Write something, or add a picture or video."
    ])
  })

  it.each([
    ["is missing", [missingTime]],
    ["is past", timeIssue(DateTime.subtract(now, { hours: 1 }))],
    ["is too far ahead", timeIssue(DateTime.add(now, { days: 200 }))]
  ])("A time that %s has to be chosen", (_title, issues) => {
    assert.strictEqual(shown(issues).time, chooseTime)
  })

  it("What a platform may refuse later stands beside its file, and is no error", () => {
    const doubt = { code: "file_doubtful", facts: { platform: "twitter", reason: "may refuse this video" } } as const
    const part = sortIssues([{ ...doubt, path: ["media", 0], message: "" }], true).part(0)
    assert.deepStrictEqual([part.mediaDoubts(0), part.media(0), part.allMedia], [["X may refuse this video."], [], []])
  })

  it("A platform without an account leads to the accounts", () => {
    const issue = { path: ["platforms", 0], message: "Not connected" }
    assert.deepStrictEqual(
      shown([{ ...issue, code: "platform_unconnected", facts: { platform: "bluesky" } }]).platforms,
      ["Bluesky is not connected. Connect it under Accounts."]
    )
    assert.deepStrictEqual(
      shown([{ ...issue, code: "platform_in_review", facts: { platform: "linkedin" } }]).platforms,
      ["LinkedIn is still in platform review and can’t be connected until the service’s operator enables it."]
    )
  })

  it("What is wrong with a part of a thread is said at that part", () => {
    const thread = [{ content: "Short" }, { content: "b".repeat(283) }, { content: "Short" }]
    const issues = shown(findTextIssues({ ...long, content: "First", thread }))
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((index) => issues.part(index).text),
      [
        [],
        [],
        ["X accepts 280 characters. This is 3 too many."],
        ["X refuses this text: an earlier part has the same. Change a word of it."]
      ]
    )
    assert.deepStrictEqual(issues.other, [])
  })

  it("A part that is for none of the post's platforms says so where it goes, and one without a text is no error yet", () => {
    const thread = [{ content: "Two", platforms: ["bluesky" as const] }, { content: "" }]
    const texts = { ...long, content: "One", thread }
    assert.deepStrictEqual(
      shown(findForeignPlatforms(texts)).part(1).platforms,
      "The post does not go there any more. Choose where this part goes, or remove it."
    )
    assert.deepStrictEqual(sortIssues(reworded(findBlankTexts(texts)), false).part(2).text, [])
    assert.lengthOf(sortIssues(reworded(findBlankTexts(texts)), true).part(2).text, 1)
  })

  it("An issue without a code, or with one of a later version, is told in the service's words", () => {
    const issue = { path: ["tags"], message: "Expected an array" }
    assert.strictEqual(sortIssues([issue], true).tags, "Expected an array")
  })

  it("A file that is still being processed is no error, as that ends by itself", () => {
    assert.lengthOf(notReady, 1)
    assert.deepStrictEqual(shown(notReady).part(0).media(0), [])
  })

  it("A refusal of texts that are too long is told platform by platform", () => {
    const refusal = {
      _tag: "ApiError",
      status: 400,
      code: "content_too_long",
      detail: "reworded",
      errors: [],
      retryAfter: null,
      requestId: null,
      problem: { violations: [{ platform: "twitter", length: 290, limit: 280 }] }
    } as const
    assert.strictEqual(describeRefusal(refusal), "X accepts 280 characters. This is 10 too many.")
    const ofPart = {
      ...refusal,
      problem: { violations: [{ platform: "twitter", length: 290, limit: 280, part: 2 }] }
    }
    assert.strictEqual(
      describeRefusal(ofPart, (platform, part) => (platform === "twitter" ? part + 1 : part)),
      "X accepts 280 characters. Part 3 is 10 too many."
    )
  })
})
