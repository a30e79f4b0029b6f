import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { GroupId } from "../../../src/domain/ids.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { plan } from "../../support/database/fixtures.ts"
import { type ClientResponse, sendJson, keyHeaders } from "../../support/http/client.ts"
import { baseUrl } from "../../support/http/server.ts"
import { makeKey, makeTeam, startOnDatabase } from "../../support/http/team.ts"

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
const post = { content: "Hello", platforms: ["twitter"] }

const isReplayed = ({ headers }: ClientResponse) => headers.get("idempotent-replayed")

/** A team, and a way to ask with an Idempotency-Key. */
const start = Effect.gen(function* () {
  const url = yield* startOnDatabase()
  const team = yield* makeTeam
  return {
    team,
    url,
    once: (idempotencyKey: string, method: string, path: string, body?: unknown, key = team.key) =>
      sendJson(`${url}${path}`, method, { ...keyHeaders(key), "idempotency-key": idempotencyKey }, body)
  }
})

const countPosts = Effect.fn("countPosts")(function* ({ workspaceId }: Effect.Success<typeof makeTeam>) {
  const { posts } = yield* Repo
  return (yield* posts.list(workspaceId, { status: null, limit: 100, before: null })).length
})

/** What a repetition answers as well. */
const essence = ({ status, body, headers }: ClientResponse) => ({ status, body, location: headers.get("location") })

layer(repoLayer)("a request with an Idempotency-Key", (it) => {
  it.effect("that creates a post does so once, and is answered alike after that", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const first = yield* once("k", "POST", "/v1/posts", post)
      assert.deepStrictEqual([first.status, isReplayed(first)], [201, null])
      assert.strictEqual(first.headers.get("location"), `${baseUrl}/v1/posts/${first.body.id}`)
      const again = yield* once("k", "POST", "/v1/posts", post)
      assert.deepStrictEqual(essence(again), essence(first))
      assert.strictEqual(isReplayed(again), "true")
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )

  it.effect("that publishes a post is answered as it was, whatever became of the post since", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const { posts, targets } = yield* Repo
      const { id } = yield* posts.create(team.workspaceId, plan(null))
      const first = yield* once("k", "POST", `/v1/posts/${id}/publish`)
      assert.deepStrictEqual([first.status, isReplayed(first)], [202, null])
      yield* targets.claim(100, Duration.minutes(1))
      const again = yield* once("k", "POST", `/v1/posts/${id}/publish`)
      assert.deepStrictEqual(essence(again), essence(first))
      assert.strictEqual(isReplayed(again), "true")
      const other = yield* once("another", "POST", `/v1/posts/${id}/publish`)
      assert.strictEqual(other.body.code, "invalid_state")
    })
  )

  it.effect("that deletes a post or a group is answered as it was, and not with what is left to delete", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const { posts } = yield* Repo
      const { id } = yield* posts.create(team.workspaceId, { ...plan(null), groupId: group })
      yield* posts.create(team.workspaceId, { ...plan(null), groupId: group })
      const deletions = [
        ["k1", `/v1/posts/${id}`, { data: { id, deleted: true } }],
        ["k2", `/v1/posts/group/${group}`, { data: { group_id: group, deleted: 1 } }]
      ] as const
      for (const [key, path, body] of deletions) {
        const first = yield* once(key, "DELETE", path)
        assert.deepStrictEqual([first.status, first.body, isReplayed(first)], [200, body, null])
        const again = yield* once(key, "DELETE", path)
        assert.deepStrictEqual([again.status, again.body, isReplayed(again)], [200, body, "true"])
      }
      assert.strictEqual((yield* once("k3", "DELETE", `/v1/posts/${id}`)).status, 404)
    })
  )

  it.effect("that differs from the first one with the key is a 422", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const { body } = yield* once("k", "POST", "/v1/posts", post)
      const others = [
        ["POST", "/v1/posts", { ...post, content: "Hello!" }],
        ["POST", `/v1/posts/${body.id}/publish`, undefined],
        ["DELETE", `/v1/posts/${body.id}`, undefined],
        ["DELETE", `/v1/posts/group/${group}`, undefined]
      ] as const
      for (const [method, path, other] of others) {
        const answer = yield* once("k", method, path, other)
        assert.deepStrictEqual([answer.status, answer.body.code], [422, "idempotency_mismatch"], path)
      }
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )

  it.effect("is another request where it names another post", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const { posts } = yield* Repo
      const first = yield* posts.create(team.workspaceId, plan(null))
      const second = yield* posts.create(team.workspaceId, plan(null))
      for (const [method, rest] of [
        ["POST", "/publish"],
        ["DELETE", ""]
      ] as const) {
        assert.isBelow((yield* once(method, method, `/v1/posts/${first.id}${rest}`)).status, 300)
        const answer = yield* once(method, method, `/v1/posts/${second.id}${rest}`)
        assert.strictEqual(answer.body.code, "idempotency_mismatch")
      }
      assert.strictEqual((yield* posts.get(team.workspaceId, second.id)).status, "draft")
    })
  )

  it.effect("shares the key with the workspace's other keys and with no other workspace", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const first = yield* once("k", "POST", "/v1/posts", post)
      const { key } = yield* makeKey(team.workspaceId)
      const again = yield* once("k", "POST", "/v1/posts", post, key)
      assert.deepStrictEqual(again.body, first.body)
      const stranger = yield* makeTeam
      const strange = yield* once("k", "POST", "/v1/posts", post, stranger.key)
      assert.deepStrictEqual([strange.status, isReplayed(strange)], [201, null])
      assert.notStrictEqual(strange.body.id, first.body.id)
    })
  )

  it.effect("does not let a key that requires approval have the answer of one that published", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      yield* once("k", "POST", `/v1/posts/${id}/publish`)
      const { key } = yield* makeKey(team.workspaceId, { requiresApproval: true })
      const answer = yield* once("k", "POST", `/v1/posts/${id}/publish`, undefined, key)
      assert.deepStrictEqual([answer.status, answer.body.code], [403, "approval_required"])
    })
  )

  it.effect("keeps nothing where it fails, so that it can be mended and sent again", () =>
    Effect.gen(function* () {
      const { once } = yield* start
      const refused = yield* once("k", "POST", "/v1/posts", { content: "Hello", platforms: ["tiktok"] })
      assert.strictEqual(refused.body.code, "integration_not_connected")
      const tooLong = yield* once("k", "POST", "/v1/posts", {
        content: "x".repeat(281),
        platforms: ["twitter"],
        schedule_at: "1970-01-01T01:00:00Z"
      })
      assert.strictEqual(tooLong.body.code, "content_too_long")
      assert.strictEqual((yield* once("k", "POST", "/v1/posts", post)).status, 201)
    })
  )

  it.effect("is carried out anew after a day", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const first = yield* once("k", "POST", "/v1/posts", post)
      yield* TestClock.adjust("24 hours")
      const next = yield* once("k", "POST", "/v1/posts", { ...post, content: "Another" })
      assert.deepStrictEqual([next.status, isReplayed(next)], [201, null])
      assert.notStrictEqual(next.body.id, first.body.id)
      assert.strictEqual(yield* countPosts(team), 2)
    })
  )

  it.effect.each([
    { what: "255 characters", key: "k".repeat(255), taken: true },
    { what: "all that is printable", key: '!~ {"a"}\'', taken: true },
    { what: "nothing", key: "", taken: false },
    { what: "256 characters", key: "k".repeat(256), taken: false },
    { what: "other than ASCII", key: "clé", taken: false },
    { what: "a control character", key: "a\tb", taken: false }
  ])("may have 1 to 255 printable ASCII characters for a key: $what", ({ key, taken }) =>
    Effect.gen(function* () {
      const { once } = yield* start
      const { status, body } = yield* once(key, "POST", "/v1/posts", post)
      assert.strictEqual(status, taken ? 201 : 400)
      if (taken) return
      assert.strictEqual(body.code, "invalid_request")
      assert.deepStrictEqual(body.errors[0].path, ["idempotency-key"])
    })
  )

  it.effect("that comes twenty times at once creates one post, and the others wait for it or repeat its answer", () =>
    Effect.gen(function* () {
      const { once, team } = yield* start
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => once("k", "POST", "/v1/posts", post), {
        concurrency: "unbounded"
      })
      const carriedOut = answers.filter((answer) => answer.status === 201 && isReplayed(answer) === null)
      assert.lengthOf(carriedOut, 1)
      for (const answer of answers) {
        if (answer.status === 201) assert.deepStrictEqual(answer.body, carriedOut[0]?.body)
        else assert.deepStrictEqual([answer.status, answer.body.code], [409, "idempotency_in_flight"])
      }
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )
})

/** A team that is called with a key that requires approval, and a notifier that does something before it tells. */
const startWaiting = Effect.fn("startWaiting")(function* (before: Effect.Effect<unknown, DatabaseUnavailable>) {
  const notifier = yield* Notifier
  const url = yield* startOnDatabase({
    notifier: Layer.succeed(Notifier, {
      ...notifier,
      approvalRequested: (...asked) => Effect.andThen(before, notifier.approvalRequested(...asked))
    })
  })
  const team = yield* makeTeam
  const { key } = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const body = { ...post, schedule_at: "1970-01-01T01:00:00Z" }
  return { team, create: sendJson(`${url}/v1/posts`, "POST", { ...keyHeaders(key), "idempotency-key": "k" }, body) }
})

layer(repoLayer)("a request with an Idempotency-Key that notifies", (it) => {
  it.effect("refuses its repetition while it has not ended, and says when to come again", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const permitted = yield* Deferred.make<void>()
      const { create, team } = yield* startWaiting(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(permitted))
      )
      const first = yield* Effect.forkChild(create)
      yield* Deferred.await(begun)
      const second = yield* create
      assert.deepStrictEqual([second.status, second.body.code], [409, "idempotency_in_flight"])
      assert.strictEqual(second.headers.get("retry-after"), "1")
      yield* Deferred.succeed(permitted, undefined)
      const made = yield* Fiber.join(first)
      assert.strictEqual(made.status, 201)
      const third = yield* create
      assert.deepStrictEqual([third.body, isReplayed(third)], [made.body, "true"])
      assert.strictEqual((yield* (yield* Repo).notifications.page(team.workspaceId, 0, 10)).total, 1)
    })
  )

  it.effect("stores the post, the notification and the answer, or none of them", () =>
    Effect.gen(function* () {
      let away = true
      const { create, team } = yield* startWaiting(
        Effect.suspend(() =>
          away ? Effect.fail(new DatabaseUnavailable({ operation: "notifying", cause: undefined })) : Effect.void
        )
      )
      const failed = yield* create
      assert.deepStrictEqual([failed.status, failed.body.code], [503, "unavailable"])
      const sql = yield* SqlClient.SqlClient
      const left = yield* sql`SELECT
        (SELECT count(*)::int FROM posts WHERE workspace_id = ${team.workspaceId}::uuid) AS posts,
        (SELECT count(*)::int FROM notifications WHERE workspace_id = ${team.workspaceId}::uuid) AS notifications,
        (SELECT count(*)::int FROM idempotency_keys WHERE workspace_id = ${team.workspaceId}::uuid) AS keys`
      assert.deepStrictEqual(left, [{ posts: 0, notifications: 0, keys: 0 }])
      away = false
      const made = yield* create
      assert.deepStrictEqual([made.status, made.body.status, isReplayed(made)], [201, "draft", null])
      assert.deepStrictEqual((yield* create).body, made.body)
    })
  )
})
