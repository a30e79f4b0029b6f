import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { PostPatch } from "../../../src/domain/newPost.ts"
import type { PostChange, PostPlan, StoredPost } from "../../../src/domain/postPlan.ts"
import type { Notifier } from "../../../src/notifier/Notifier.ts"
import type { ExpectedCalls } from "../../support/database/fakeRepo.ts"
import { call } from "../../support/http/client.ts"
import { holder, recordingNotifier, startServer, repoWithKey } from "../../support/http/server.ts"
import { aPost, postId } from "../../support/http/samplePosts.ts"

const at = "1970-01-01T01:00:00Z"

type Announcement = Parameters<Notifier["Service"]["approvalRequested"]>

/** A server that is called with a key that requires approval, and whom it told. */
const startWith = Effect.fn("startWith")(function* (calls: ExpectedCalls) {
  const announced: Array<Announcement> = []
  const url = yield* startServer({
    repo: repoWithKey(calls, { requiresApproval: true }),
    notifier: recordingNotifier(announced)
  })
  return { url, announced }
})

const creating = (plans: Array<PostPlan>): ExpectedCalls => ({
  posts: {
    create: (_workspace, plan) =>
      Effect.sync(() => {
        plans.push(plan)
        return { id: postId, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
      })
  }
})

const updating = (current: StoredPost["status"], changes: Array<PostChange>): ExpectedCalls => ({
  posts: {
    update: (_workspace, _id, decide) =>
      Effect.fromResult(
        decide({
          status: current,
          content: "Hello",
          platforms: ["twitter"],
          scheduledAt: current === "draft" ? null : DateTime.makeUnsafe(at),
          tags: [],
          overrides: {},
          settings: {},
          maybePublished: false
        })
      ).pipe(
        Effect.tap((change) => Effect.sync(() => changes.push(change))),
        Effect.map(({ status, content, scheduledAt }) => aPost({ status, content, scheduled_at: scheduledAt }))
      )
  }
})

describe("a key that requires approval", () => {
  it.effect.each([
    { what: "by a time", extra: {} },
    { what: "by a time and the status", extra: { status: "scheduled" } }
  ])("creates a draft that keeps its time where it schedules $what, and the workspace is told", ({ extra }) =>
    Effect.gen(function* () {
      const plans: Array<PostPlan> = []
      const { url, announced } = yield* startWith(creating(plans))
      const post = { content: "Hello", platforms: ["twitter"], schedule_at: at, ...extra }
      const { status, body } = yield* call(`${url}/v1/posts`, "POST", post)
      assert.strictEqual(status, 201)
      assert.deepInclude(body, { status: "draft", scheduled_at: "1970-01-01T01:00:00.000Z" })
      assert.deepStrictEqual(announced, [
        [holder.workspaceId, { id: postId, scheduledAt: DateTime.makeUnsafe(at), content: "Hello" }]
      ])
    })
  )

  it.effect("creates a plain draft without telling anybody", () =>
    Effect.gen(function* () {
      const { url, announced } = yield* startWith(creating([]))
      for (const extra of [{}, { schedule_at: at, status: "draft" }]) {
        const { status } = yield* call(`${url}/v1/posts`, "POST", {
          content: "Hello",
          platforms: ["twitter"],
          ...extra
        })
        assert.strictEqual(status, 201)
      }
      assert.deepStrictEqual(announced, [])
    })
  )

  it.effect("does not get past the checks of what it schedules", () =>
    Effect.gen(function* () {
      const { url, announced } = yield* startWith({})
      const post = { content: "a".repeat(281), platforms: ["twitter"], schedule_at: at }
      const { status, body } = yield* call(`${url}/v1/posts`, "POST", post)
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "content_too_long")
      assert.deepStrictEqual(announced, [])
    })
  )

  it.effect("leaves a draft a draft where it schedules it, with the time, and the workspace is told", () =>
    Effect.gen(function* () {
      const changes: Array<PostChange> = []
      const { url, announced } = yield* startWith(updating("draft", changes))
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", {
        status: "scheduled",
        scheduled_at: at
      })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { status: "draft", scheduled_at: "1970-01-01T01:00:00.000Z" })
      assert.strictEqual(changes[0]?.status, "draft")
      assert.lengthOf(announced, 1)
    })
  )

  const changesOfScheduled: ReadonlyArray<{
    readonly patch: Record<string, unknown> & PostPatch
    readonly allowed: boolean
  }> = [
    { patch: { content: "Changed" }, allowed: false },
    { patch: { tags: ["a"] }, allowed: false },
    { patch: { status: "scheduled" }, allowed: false },
    { patch: { status: "draft" }, allowed: true },
    { patch: { status: "draft", content: "Changed" }, allowed: true }
  ]

  it.effect.each(changesOfScheduled)(
    "may change what is scheduled only by making it a draft: $patch",
    ({ patch, allowed }) =>
      Effect.gen(function* () {
        const { url, announced } = yield* startWith(updating("scheduled", []))
        const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", patch)
        assert.strictEqual(status, allowed ? 200 : 403)
        if (!allowed) assert.strictEqual(body.code, "approval_required")
        assert.deepStrictEqual(announced, [])
      })
  )

  it.effect("does not publish", () =>
    Effect.gen(function* () {
      const { url } = yield* startWith({})
      const { status, body } = yield* call(`${url}/v1/posts/${postId}/publish`, "POST")
      assert.strictEqual(status, 403)
      assert.strictEqual(body.code, "approval_required")
    })
  )
})
