import { assert, describe, it } from "@effect/vitest"
import { PostId, WorkspaceId } from "../../src/domain/ids.ts"
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

describe("The notification of a post that failed", () => {
  it("It says that the post is not published only of platforms that have refused it", () => {
    const titleOf = (failures: Parameters<typeof postFailed>[1]) => postFailed(post, failures).title
    assert.strictEqual(titleOf([refused]), "Not published on Bluesky")
    assert.strictEqual(titleOf([unknown]), "Not confirmed by X")
    assert.strictEqual(titleOf([unknown, refused]), "Not published on Bluesky, not confirmed by X")
    assert.strictEqual(titleOf([refused, { ...refused, platform: "twitter" }]), "Not published on Bluesky and X")
  })
})
