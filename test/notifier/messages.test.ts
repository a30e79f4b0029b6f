import { assert, describe, it } from "@effect/vitest"
import { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { withDuplicateWarning } from "../../src/domain/publishing/settlement.ts"
import { postFailed } from "../../src/notifier/messages.ts"

const post = {
  workspaceId: WorkspaceId.make("01a1fc17-0000-7000-8000-000000000001"),
  postId: PostId.make("01a1fc17-0000-7000-8000-000000000002"),
  status: "failed",
  content: "Hello",
  targets: []
} as const
const refused = { platform: "bluesky", code: "rejected", message: "Too long" } as const
const unknown = { platform: "twitter", code: "outcome_unknown", message: "X did not respond" } as const

const titleOf = (failures: Parameters<typeof postFailed>[1]) => postFailed(post, failures, undefined).title

describe("The notification of a post that failed", () => {
  it("It says that the post is not published only of platforms that have refused it", () => {
    assert.strictEqual(titleOf([refused]), "Not published on Bluesky")
    assert.strictEqual(titleOf([unknown]), "Not confirmed by X")
    assert.strictEqual(titleOf([unknown, refused]), "Not published on Bluesky, not confirmed by X")
    assert.strictEqual(titleOf([refused, { ...refused, platform: "twitter" }]), "Not published on Bluesky and X")
  })

  it("It names the text and each account with its platform", () => {
    const failures = [
      { ...unknown, username: "acme" },
      { ...refused, username: "acme.example" }
    ] as const
    assert.strictEqual(
      postFailed(post, failures, undefined).message,
      "“Hello” – acme on X: X did not respond; acme.example on Bluesky: Too long"
    )
  })

  it.each(["needs_reconnect", "gave_up"])(
    "It says of a platform that failed as %s that the post is not confirmed where its message warns of a duplicate",
    (code) => {
      const failure = { platform: "twitter", code, message: "X did not respond" } as const
      const warned = { ...failure, message: withDuplicateWarning(failure.message) }
      assert.strictEqual(titleOf([failure]), "Not published on X")
      assert.strictEqual(titleOf([warned]), "Not confirmed by X")
      assert.strictEqual(titleOf([warned, refused]), "Not published on Bluesky, not confirmed by X")
    }
  )
})
