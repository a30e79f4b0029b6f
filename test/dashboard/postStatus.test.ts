import { assert, describe, it } from "@effect/vitest"
import { isChangedSinceAsked, isRejected, postStatus, targetStatus } from "../../src/dashboard/api/postStatus.ts"
import { describeLimit } from "../../src/dashboard/pages/post/describeLimit.ts"

/** A draft of revision 3, of which approval was asked at some revision. */
const asked = (revision: number) => ({
  status: "draft" as const,
  revision: 3,
  approval: {
    status: "requested" as const,
    revision,
    outdated: revision !== 3,
    requested_at: "2026-11-20T10:00:00.000Z",
    decided_at: null,
    decided_by: null,
    reason: null,
    requested: null
  },
  post_targets: []
})

describe("The status that people see of a target", () => {
  it("A target whose attempt failed and is repeated is not as one that waits for its time", () => {
    const error = { code: "unavailable", message: "No", retryable: true } as const
    assert.strictEqual(targetStatus({ status: "pending", error: null }), "scheduled")
    assert.strictEqual(targetStatus({ status: "pending", error }), "retrying")
    assert.strictEqual(targetStatus({ status: "failed", error }), "failed")
  })
})

describe("What is said of a post that waits for a limit", () => {
  const target = (platform: "twitter" | "bluesky", code: "rate_limited" | "unavailable" | null, isOut = false) => ({
    status: isOut ? ("published" as const) : ("pending" as const),
    platform_post_url: null,
    published_at: null,
    error: code === null ? null : { code, message: "No", retryable: true },
    parts: null,
    account_id: null,
    copied_to: null,
    integrations: { platform }
  })
  const said = (...post_targets: ReadonlyArray<ReturnType<typeof target>>) => describeLimit({ post_targets })

  it("A target that waits for a limit is not said to be tried again, as it may not have been tried", () => {
    assert.strictEqual(targetStatus(target("twitter", "rate_limited")), "limited")
  })

  it("The page says for whose limit the post waits, also where it is out elsewhere", () => {
    assert.strictEqual(said(target("twitter", "rate_limited")), "Waits for X’s limit")
    assert.strictEqual(said(target("twitter", "rate_limited"), target("bluesky", null, true)), "Waits for X’s limit")
  })

  it("The page says nothing of a limit where something else is on its way or all is out", () => {
    assert.isUndefined(said(target("twitter", "rate_limited"), target("bluesky", null)))
    assert.isUndefined(said(target("twitter", "unavailable")))
    assert.isUndefined(said(target("twitter", null, true)))
  })
})

describe("The status that people see of a post", () => {
  it("A draft awaits approval while the request is for what it is", () => {
    assert.strictEqual(postStatus(asked(3)), "approval")
    assert.isFalse(isChangedSinceAsked(asked(3)))
  })

  it("A draft that was changed since approval was asked awaits none", () => {
    assert.strictEqual(postStatus(asked(2)), "draft")
    assert.isTrue(isChangedSinceAsked(asked(2)))
  })

  it("A draft is rejected as long as it is what was rejected", () => {
    const rejected = (revision: number) => {
      const { approval, ...post } = asked(revision)
      return { ...post, approval: { ...approval, status: "rejected" as const, reason: "The date is wrong." } }
    }
    assert.isTrue(isRejected(rejected(3)))
    assert.isFalse(isRejected(rejected(2)))
    assert.isFalse(isRejected({ ...rejected(3), status: "scheduled" }))
    assert.isFalse(isRejected(asked(3)))
  })

  it("A request is over once the post is no draft", () => {
    assert.strictEqual(postStatus({ ...asked(3), status: "scheduled" }), "scheduled")
    assert.isFalse(isChangedSinceAsked({ ...asked(2), status: "scheduled" }))
  })
})
