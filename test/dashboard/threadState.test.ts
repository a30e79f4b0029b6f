import { assert, describe, it } from "@effect/vitest"
import { isSomewhereOut, targetStatus } from "../../src/dashboard/api/postStatus.ts"
import { describeDeletion } from "../../src/dashboard/shared/actions/remove.ts"
import {
  cursorOf,
  describeHalfSent,
  describeUnderWay,
  isHalfSent,
  nameRetry,
  platformsToCopy
} from "../../src/dashboard/shared/threadState.ts"
import { describeWhatStays, outMarkOf } from "../../src/dashboard/shared/whatIsOut.ts"
import type { TargetStatus } from "../../src/domain/posts/post.ts"

type Code = "outcome_unknown" | "rejected"

/** A target of a thread of which some parts are out. */
const target = (
  platform: "twitter" | "bluesky",
  {
    code = "rejected",
    out,
    parts,
    status
  }: { readonly out: number; readonly parts: number; readonly status: TargetStatus; readonly code?: Code }
) => {
  const error = status === "failed" ? { code, message: `Part ${out + 1} of ${parts}: No`, retryable: false } : null
  return {
    status,
    platform_post_url: null,
    published_at: null,
    error,
    parts: Array.from({ length: parts }, (_, index) => ({
      part: index + 1,
      status: index < out ? ("published" as const) : index === out ? status : ("pending" as const),
      platform_post_url: null,
      published_at: null,
      error: index === out ? error : null
    })),
    account_id: null,
    copied_to: null,
    integrations: { platform }
  }
}

const whole = { ...target("twitter", { out: 1, parts: 1, status: "published" }), parts: null }

describe("Where a thread stands", () => {
  it("A post without a thread, and a platform that gets one part of it, stands nowhere", () => {
    assert.isUndefined(cursorOf(whole))
    assert.isUndefined(cursorOf(target("twitter", { out: 0, parts: 1, status: "pending" })))
  })

  it("A thread of which a part failed stands there", () => {
    const half = target("twitter", { out: 2, parts: 5, status: "failed" })
    assert.deepStrictEqual(cursorOf(half), { part: 3, parts: 5, out: 2 })
    assert.isTrue(isHalfSent(half))
    assert.isFalse(isHalfSent(target("twitter", { out: 0, parts: 5, status: "failed" })))
    assert.isFalse(isHalfSent(target("twitter", { out: 5, parts: 5, status: "published" })))
  })

  it("Between two parts a thread is being published, and is not waiting for its time", () => {
    assert.strictEqual(targetStatus(target("twitter", { out: 2, parts: 5, status: "pending" })), "publishing")
    assert.strictEqual(targetStatus(target("twitter", { out: 0, parts: 5, status: "pending" })), "scheduled")
  })

  it.each([
    ["2 of 5 are out", [target("twitter", { out: 2, parts: 5, status: "failed" })]],
    ["1 of 3 is out", [target("twitter", { out: 1, parts: 3, status: "failed" })]],
    [
      "1 of 3 is out on Bluesky, all 4 on X",
      [
        target("twitter", { out: 4, parts: 4, status: "published" }),
        target("bluesky", { out: 1, parts: 3, status: "failed" })
      ]
    ],
    [
      "2 of 3 are out on X, nothing on Bluesky",
      [
        target("twitter", { out: 2, parts: 3, status: "failed" }),
        target("bluesky", { out: 0, parts: 3, status: "failed" })
      ]
    ],
    [
      "2 of 5 are out; part 3 may be, too",
      [target("twitter", { out: 2, parts: 5, status: "failed", code: "outcome_unknown" })]
    ]
  ])("Of a half-sent thread it is said: %s", (sentence, post_targets) => {
    assert.strictEqual(describeHalfSent({ status: "failed", post_targets }), sentence)
  })

  it.each(["draft", "scheduled"] as const)("A half-sent thread says so where it is %s again", (status) => {
    const half = target("bluesky", { out: 2, parts: 5, status: "pending" })
    assert.strictEqual(describeHalfSent({ status, post_targets: [half] }), "2 of 5 are out")
  })

  it("A post is out somewhere once a platform has it or the first part of its thread, whatever the post's status", () => {
    const waiting = target("bluesky", { out: 0, parts: 5, status: "pending" })
    assert.isTrue(isSomewhereOut({ post_targets: [waiting, whole] }))
    assert.isTrue(isSomewhereOut({ post_targets: [target("bluesky", { out: 1, parts: 5, status: "pending" })] }))
    assert.isFalse(isSomewhereOut({ post_targets: [waiting, { ...whole, status: "pending" }] }))
  })

  it("Whoever deletes a post reads what stays on each platform, also of a draft", () => {
    const half = target("bluesky", { out: 2, parts: 5, status: "pending" })
    const all = target("twitter", { out: 4, parts: 4, status: "published" })
    const none = target("bluesky", { out: 0, parts: 5, status: "pending" })
    assert.strictEqual(
      describeWhatStays({ post_targets: [half, all] }),
      "What is out stays there: 2 of 5 parts on Bluesky, all 4 parts on X."
    )
    assert.strictEqual(describeWhatStays({ post_targets: [whole, none] }), "What is out stays there: the post on X.")
    assert.isUndefined(describeWhatStays({ post_targets: [none] }))
    assert.strictEqual(
      describeDeletion({ status: "draft", post_targets: [half] }).text,
      "The rest will not go out, and it can’t be brought back here. What is out stays there: 2 of 5 parts on Bluesky."
    )
    assert.strictEqual(describeDeletion({ status: "draft", post_targets: [none] }).text, "It can’t be brought back.")
  })

  it("A post of which no thread is half sent has no such headline", () => {
    assert.isUndefined(describeHalfSent({ status: "failed", post_targets: [whole] }))
    const underWay = target("twitter", { out: 2, parts: 5, status: "publishing" })
    assert.isUndefined(describeHalfSent({ status: "publishing", post_targets: [underWay] }))
  })

  it("The part that is under way is named where one platform alone tells", () => {
    const one = target("twitter", { out: 1, parts: 5, status: "publishing" })
    assert.strictEqual(describeUnderWay({ post_targets: [one] }), "part 2 of 5")
    assert.isUndefined(describeUnderWay({ post_targets: [one, one] }))
    assert.isUndefined(describeUnderWay({ post_targets: [whole] }))
  })

  it("Only what has the same left on all platforms is copied for all of them", () => {
    const half = target("twitter", { out: 2, parts: 3, status: "failed" })
    const none = target("bluesky", { out: 0, parts: 3, status: "failed" })
    assert.deepStrictEqual(platformsToCopy({ post_targets: [half, none] }, half), ["twitter"])
    assert.deepStrictEqual(platformsToCopy({ post_targets: [{ ...half, ...none }, none] }, none), [
      "bluesky",
      "bluesky"
    ])
    assert.deepStrictEqual(platformsToCopy({ post_targets: [whole, none] }, none), ["bluesky"])
  })

  it("Lists say in a word what is out of a post that waits, and in a sentence where", () => {
    const at = (platform: "twitter" | "bluesky", out: number) => target(platform, { out, parts: 5, status: "pending" })
    const mark = (...post_targets: ReadonlyArray<ReturnType<typeof target>>) =>
      outMarkOf({ post_targets, status: "scheduled" })
    const all = target("bluesky", { out: 5, parts: 5, status: "published" })
    assert.deepStrictEqual(mark(at("twitter", 2), at("bluesky", 2)), {
      words: "2 of 5 out",
      short: "2/5",
      full: "2 of 5 are out on X, 2 of 5 on Bluesky"
    })
    assert.deepStrictEqual(mark(at("twitter", 1), all), {
      words: "Out in part",
      short: undefined,
      full: "1 of 5 is out on X, all 5 on Bluesky"
    })
    assert.strictEqual(mark(at("twitter", 0), all)?.full, "Is out on Bluesky")
    assert.isUndefined(mark(at("twitter", 0), at("bluesky", 0)))
  })

  it("Lists say what is out of a draft and of a failed post, and not of one that is going out or out", () => {
    const post_targets = [target("twitter", { out: 2, parts: 5, status: "failed" })]
    const words = (["draft", "failed", "publishing", "published"] as const).map(
      (status) => outMarkOf({ post_targets, status })?.words
    )
    assert.deepStrictEqual(words, ["2 of 5 out", "2 of 5 out", undefined, undefined])
  })

  it("A part that failed is tried again, and one that was never tried is sent", () => {
    const cursor = { part: 3, parts: 5, out: 2 }
    const about = (part: number) => ({
      code: "gave_up" as const,
      message: "reworded",
      retryable: true,
      facts: { may_be_published: false, reason: "reworded", part }
    })
    assert.strictEqual(nameRetry(cursor, about(3)), "Try part 3 again")
    assert.strictEqual(nameRetry(cursor, about(2)), "Send the rest")
  })
})
