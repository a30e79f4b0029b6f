import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { PostChange, StoredPost } from "../../../src/domain/posts/postPlan.ts"
import type { Notifier } from "../../../src/notifier/Notifier.ts"
import type { ExpectedCalls } from "../../support/database/fakeRepo.ts"
import { call } from "../../support/http/client.ts"
import { holder, recordingNotifier, repoWithKey, startServer } from "../../support/http/server.ts"
import { aPost, aStoredPost, creatingPosts, postId } from "../../support/http/samplePosts.ts"

const at = "1970-01-01T01:00:00Z"

type Announcement = Parameters<Notifier["Service"]["approvalRequested"]>

/** Starts a server on which `apiKey` requires approval, and records the requests for approval. */
const startWith = Effect.fn("startWith")(function* (calls: ExpectedCalls) {
  const announced: Array<Announcement> = []
  const url = yield* startServer({
    repo: repoWithKey(calls, { requiresApproval: true }),
    notifier: recordingNotifier(announced)
  })
  return { url, announced }
})

const updating = (current: StoredPost["status"], changes: Array<PostChange>): ExpectedCalls => ({
  posts: {
    updateForApproval: (_workspace, _id, decide) =>
      Effect.fromResult(
        decide(
          aStoredPost({
            status: current,
            scheduledAt: current === "draft" ? null : DateTime.makeUnsafe(at),
            createdByKey: holder.keyId
          }),
          []
        )
      ).pipe(
        Effect.tap((change) => Effect.sync(() => changes.push(change))),
        Effect.map(({ status, content, scheduledAt }) => ({
          post: aPost({ status, content, scheduled_at: scheduledAt }),
          requested: true
        }))
      )
  }
})

const creating: ExpectedCalls = { posts: { ...creatingPosts().posts, requestApproval: () => Effect.void } }

describe("keys that require approval", () => {
  it.effect.each([
    { what: "by a time", extra: {} },
    { what: "by a time and the status", extra: { status: "scheduled" } }
  ])(
    "With a key that requires approval, a post that is scheduled $what is created as a draft with its time, and the workspace is notified",
    ({ extra }) =>
      Effect.gen(function* () {
        const { url, announced } = yield* startWith(creating)
        const post = { content: "Hello", platforms: ["twitter"], schedule_at: at, ...extra }
        const { status, body } = yield* call(`${url}/v1/posts`, "POST", post)
        assert.strictEqual(status, 201)
        assert.deepInclude(body, { status: "draft", scheduled_at: "1970-01-01T01:00:00.000Z" })
        assert.deepStrictEqual(announced, [
          [
            holder.workspaceId,
            { id: postId, scheduledAt: DateTime.makeUnsafe(at), content: "Hello" },
            { type: "key", id: holder.keyId }
          ]
        ])
      })
  )

  it.effect("With a key that requires approval, a draft is created and nobody is notified", () =>
    Effect.gen(function* () {
      const { url, announced } = yield* startWith(creating)
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

  it.effect("With a key that requires approval, a post that is scheduled is still checked", () =>
    Effect.gen(function* () {
      const { url, announced } = yield* startWith({})
      const post = { content: "a".repeat(281), platforms: ["twitter"], schedule_at: at }
      const { status, body } = yield* call(`${url}/v1/posts`, "POST", post)
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "content_too_long")
      assert.deepStrictEqual(announced, [])
    })
  )

  it.effect(
    "With a key that requires approval, a draft that is scheduled stays a draft with the time, and the workspace is notified",
    () =>
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

  it.effect("A key that requires approval can't publish: it gets a 403", () =>
    Effect.gen(function* () {
      const { url } = yield* startWith({})
      const { status, body } = yield* call(`${url}/v1/posts/${postId}/publish`, "POST")
      assert.strictEqual(status, 403)
      assert.strictEqual(body.code, "approval_required")
    })
  )
})
