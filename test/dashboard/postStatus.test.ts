import { assert, describe, it } from "@effect/vitest"
import { isChangedSinceAsked, isRejected, postStatus, targetStatus } from "../../src/dashboard/api/postStatus.ts"

/** A draft of revision 3, of which approval was asked at some revision. */
const asked = (revision: number) => ({
  status: "draft" as const,
  revision: 3,
  approval: {
    status: "requested" as const,
    revision,
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
