import { assert, describe, it } from "@effect/vitest"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import { showError } from "../../../src/domain/posts/shownError.ts"
import { restUnsent } from "../../../src/domain/publishing/resolution.ts"
import { outcomeUnknown, withDuplicateWarning } from "../../../src/domain/publishing/settlement.ts"
import { namePart } from "../../../src/domain/publishing/threadCursor.ts"

const refused = (message: string): TargetError => ({ code: "rejected", message, retryable: false })
const cursor = { part: 12, parts: 25 }

describe("The facts of a target's error", () => {
  it("The message keeps the part that it begins with, and the reason is without it", () => {
    const error = refused(namePart(cursor, "X refused this post: Part 1 of 2: no"))
    assert.deepStrictEqual(showError(error, "twitter", cursor.parts), {
      ...error,
      facts: { may_be_published: false, reason: "X refused this post: Part 1 of 2: no", part: 12 }
    })
  })

  it("The reason names the platform, also if the message does not", () => {
    assert.strictEqual(showError(refused("No"), "twitter", 1).facts?.reason, "X: No")
  })

  it("A thread that a person found to go on is about the part that is out", () => {
    const { facts } = showError(restUnsent({ part: 2, parts: 5 }), "bluesky", 5)
    assert.deepStrictEqual(facts, {
      may_be_published: false,
      reason: "Bluesky: Part 2 of 5 is out. Publish the post again to send the rest",
      part: 2
    })
  })

  it("A post without a thread has no part, whatever its platform says", () => {
    const { facts } = showError(refused("Part 2 of 3: X refused this"), "twitter", 1)
    assert.deepStrictEqual(facts, { may_be_published: false, reason: "Part 2 of 3: X refused this" })
  })

  it.each([
    [true, outcomeUnknown("X lost the connection").error],
    [true, { code: "gave_up", message: withDuplicateWarning("X refused this"), retryable: true } as const],
    [false, { code: "gave_up", message: "X refused this", retryable: true } as const]
  ])("A post may be live if its outcome is unknown, or if the message warns of it: %s", (expected, error) => {
    assert.strictEqual(showError(error, "twitter", 1).facts?.may_be_published, expected)
  })
})
