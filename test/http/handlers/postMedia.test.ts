import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { imageFacts, storeFile } from "../../support/database/mediaFixtures.ts"
import { errorPaths, keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

const at = "1970-01-01T01:00:00Z"

const callerOf = Effect.fn("callerOf")(function* (workspaceId: WorkspaceId) {
  const url = yield* ServerUrl
  const { key } = yield* makeKey(workspaceId)
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    sendJson(`${url}${path}`, method, { ...keyHeaders(key), ...headers }, body)
})

const platforms = ["twitter", "bluesky"]

layer(databaseServerLayer())("posts with media on a real database", (it) => {
  it.effect("Media is created, read, listed, changed, kept and removed, and the revision says so", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const call = yield* callerOf(workspace)
      const [first, second] = [yield* storeFile(workspace, { alt: "A cat" }), yield* storeFile(workspace)]
      const media = [{ id: first.id }, { id: second.id, alt: "A dog" }]
      const created = yield* call("POST", "/v1/posts", { content: "", platforms, schedule_at: at, media })
      assert.strictEqual(created.status, 201)
      const path = `/v1/posts/${created.body.id}`
      const shown = [first, { ...second, alt: "A dog" }]
      assert.deepStrictEqual((yield* call("GET", path)).body.data.media, shown)
      assert.deepStrictEqual((yield* call("GET", "/v1/posts")).body.data[0].media, shown)
      const kept = yield* call("PATCH", path, { tags: ["a"] })
      assert.deepStrictEqual([kept.body.data.revision, kept.body.data.media], [2, shown])
      const stale = yield* call("PATCH", path, { media: [] }, { "if-match": '"1"' })
      assert.strictEqual(stale.status, 412)
      const changed = yield* call("PATCH", path, { content: "Text", media: [{ id: second.id }] })
      assert.deepStrictEqual([changed.body.data.revision, changed.body.data.media], [3, [second]])
      const removed = yield* call("PATCH", path, { media: [] })
      assert.deepStrictEqual([removed.body.data.revision, removed.body.data.media], [4, []])
      assert.strictEqual((yield* call("POST", `${path}/publish`)).status, 202)
    })
  )

  it.effect("The check of a post warns of a video that some accounts on X may not post", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const call = yield* callerOf(workspace)
      const { id } = yield* storeFile(workspace, {
        facts: {
          ...imageFacts,
          type: "video",
          contentType: "video/mp4",
          videoCodec: "h264",
          height: 40,
          durationMs: 200_000
        }
      })
      const body = { content: "Hello", platforms: ["twitter"], schedule_at: at, media: [{ id }] }
      const { data } = (yield* call("POST", "/v1/posts/validate", body)).body
      assert.deepStrictEqual(
        data.warnings.map((each: { readonly code: string }) => each.code),
        ["file_doubtful"]
      )
      assert.deepStrictEqual(
        data.errors.filter(({ path }: { readonly path: ReadonlyArray<string> }) => path[0] === "media"),
        []
      )
    })
  )

  it.effect(
    "A file of another workspace is unknown as one that does not exist, on creation, update and validation",
    () =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const call = yield* callerOf(workspace)
        const own = yield* storeFile(workspace)
        const other = yield* storeFile(yield* makeWorkspace())
        const media = [{ id: own.id }, { id: other.id }, { id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" }]
        const draft = yield* call("POST", "/v1/posts", { content: "Hello", platforms })
        const refused = [
          yield* call("POST", "/v1/posts", { content: "Hello", platforms, media }),
          yield* call("PATCH", `/v1/posts/${draft.body.id}`, { media })
        ]
        for (const { body, status } of refused) {
          assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
          assert.deepStrictEqual(errorPaths(body), [
            ["media", 1, "id"],
            ["media", 2, "id"]
          ])
        }
        const { body } = yield* call("POST", "/v1/posts/validate", { content: "Hello", platforms, media })
        assert.isFalse(body.data.valid)
        assert.lengthOf(body.data.errors, 2)
      })
  )

  it.effect("A file that is being processed is refused for scheduling and publishing, and can be drafted", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const call = yield* callerOf(workspace)
      const file = yield* storeFile(workspace, { status: "processing" })
      const post = { content: "Hello", platforms, media: [{ id: file.id }] }
      const scheduled = yield* call("POST", "/v1/posts", { ...post, schedule_at: at })
      assert.deepStrictEqual([scheduled.status, scheduled.body.code], [400, "media_not_ready"])
      const draft = yield* call("POST", "/v1/posts", post)
      assert.strictEqual(draft.status, 201)
      const published = yield* call("POST", `/v1/posts/${draft.body.id}/publish`)
      assert.deepStrictEqual([published.status, published.body.code], [400, "media_not_ready"])
    })
  )

  it.effect("A repeated request with an Idempotency-Key and media gets the first response", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const call = yield* callerOf(workspace)
      const file = yield* storeFile(workspace)
      const post = { content: "Hello", platforms, schedule_at: at, media: [{ id: file.id }] }
      const key = { "idempotency-key": "media" }
      const first = yield* call("POST", "/v1/posts", post, key)
      const second = yield* call("POST", "/v1/posts", post, key)
      assert.deepStrictEqual([first.status, second.body], [201, first.body])
      const other = yield* call("POST", "/v1/posts", { ...post, media: [{ id: file.id, alt: "Other" }] }, key)
      assert.strictEqual(other.status, 422)
    })
  )
})
