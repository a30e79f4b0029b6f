import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { ApiKeyId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { Actor } from "../../../src/domain/people/actor.ts"
import { checkDeciding, checkScheduling } from "../../../src/domain/posts/approval.ts"
import { keyId, workspaceId } from "../../../src/domain/samples.ts"

const key: Actor = {
  author: { type: "key", id: ApiKeyId.make(keyId) },
  workspaceId: WorkspaceId.make(workspaceId),
  scopes: ["posts:write", "posts:publish"],
  requiresApproval: false,
  predecessors: []
}
const tool: Actor = { ...key, decidesNothing: true }

const submitted = { status: "draft", approvalRequestedRevision: 2 } as const
const draft = { status: "draft", approvalRequestedRevision: null } as const
const scheduled = { status: "scheduled", approvalRequestedRevision: 2 } as const

const tagOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.match(result, { onFailure: ({ _tag }) => _tag, onSuccess: () => undefined })

describe("who decides about a draft whose approval was requested", () => {
  it("A key that may publish schedules and publishes it, and a tool with the same key does not", () => {
    assert.isUndefined(tagOf(checkDeciding(key, submitted)))
    assert.isUndefined(tagOf(checkScheduling(key, submitted, { status: "scheduled" })))
    assert.strictEqual(tagOf(checkDeciding(tool, submitted)), "ApprovalRequired")
    assert.strictEqual(tagOf(checkScheduling(tool, submitted, { status: "scheduled" })), "ApprovalRequired")
  })

  it("A tool schedules and publishes a draft of which no approval was requested, and one that was approved", () => {
    for (const post of [draft, scheduled]) {
      assert.isUndefined(tagOf(checkDeciding(tool, post)))
      assert.isUndefined(tagOf(checkScheduling(tool, post, { status: "scheduled" })))
    }
  })

  it("A tool changes a draft of which approval was requested as long as it stays a draft", () => {
    assert.isUndefined(tagOf(checkScheduling(tool, submitted, { status: "draft" })))
  })

  it("A key without the scope to publish is told of that scope, a tool's key as well", () => {
    for (const actor of [key, tool]) {
      const weak: Actor = { ...actor, scopes: ["posts:write"] }
      assert.strictEqual(tagOf(checkScheduling(weak, submitted, { status: "scheduled" })), "ScopeRequired")
    }
  })
})
