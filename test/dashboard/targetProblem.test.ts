import { assert, describe, it } from "@effect/vitest"
import { targetStatus } from "../../src/dashboard/api/postStatus.ts"
import { describeTargetProblem } from "../../src/dashboard/pages/post/targetProblem.ts"
import { duplicateWarning } from "../../src/domain/plain/posts.ts"

const names = { platform: "X", account: "@acme" }

const part = (number: number, status: "published" | "failed") => ({
  part: number,
  status,
  platform_post_url: null,
  published_at: null,
  error: null
})

/** A failed target whose message says something else than its facts. */
const failed = (code: "rejected" | "gave_up" | "outcome_unknown", mayBePublished: boolean, isThread = false) => ({
  status: "failed" as const,
  platform_post_url: null,
  published_at: null,
  error: {
    code,
    message: `Part 9 of 9: reworded. ${duplicateWarning}`,
    retryable: false,
    facts: { may_be_published: mayBePublished, reason: "X refused this post: No", ...(isThread && { part: 2 }) }
  },
  parts: isThread ? [part(1, "published"), part(2, "failed")] : null,
  account_id: null,
  copied_to: null,
  integrations: { platform: "twitter" as const }
})

describe("The problem of a target, by its facts", () => {
  it.each([true, false])("The post may be out if the facts say so: %s", (mayBePublished) => {
    const target = failed("gave_up", mayBePublished)
    assert.strictEqual(describeTargetProblem(target, names)?.mayBeOut, mayBePublished)
    assert.strictEqual(targetStatus(target), mayBePublished ? "unknown" : "failed")
  })

  it("A refusal is told by its reason, and of a thread with the part that is next", () => {
    assert.strictEqual(
      describeTargetProblem(failed("rejected", false), names)?.text,
      "X refused this post: No. Publishing the same again is not likely to help. Change it in a copy."
    )
    assert.strictEqual(
      describeTargetProblem(failed("rejected", false, true), names)?.text,
      "Part 2 of 2: X refused this post: No. Sending the same again is not likely to help. Move the rest to a new draft, and change it there."
    )
  })

  it("A version before tells no facts: then the outcome is unknown by the code, and the message is shown", () => {
    const error = { code: "rejected", message: "Refused", retryable: false } as const
    const target = { ...failed("rejected", false), error }
    assert.strictEqual(targetStatus(target), "failed")
    assert.strictEqual(targetStatus({ ...target, error: { ...error, code: "outcome_unknown" } }), "unknown")
    assert.match(describeTargetProblem(target, names)?.text ?? "", /^Refused\. /)
  })
})
