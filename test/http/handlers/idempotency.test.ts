import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { GroupId } from "../../../src/domain/ids.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { allPosts, plan } from "../../support/database/fixtures.ts"
import { type ClientResponse, keyHeaders, sendJson } from "../../support/http/client.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam, startOnDatabase, type Team } from "../../support/http/team.ts"

// Also plain: it settles targets in pipelined transactions.

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
const post = { content: "Hello", platforms: ["twitter"] }

const published = { _tag: "Published", publication: { platformPostId: "1", url: "https://x.test/1" } } as const

const replayedHeader = ({ headers }: ClientResponse) => headers.get("idempotent-replayed")

/** Creates a team. Returns it with a function that sends requests with an Idempotency-Key. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  return {
    team,
    sendOnce: (idempotencyKey: string, method: string, path: string, body?: unknown, key = team.key) =>
      sendJson(`${url}${path}`, method, { ...keyHeaders(key), "idempotency-key": idempotencyKey }, body)
  }
})

const countPosts = Effect.fn("countPosts")(function* ({ workspaceId }: Team) {
  return (yield* allPosts(workspaceId)).length
})

/** The parts of a response that a replay repeats. */
const replayedParts = ({ status, body, headers }: ClientResponse) => ({
  status,
  body,
  location: headers.get("location")
})

layer(databaseServerLayer())("Idempotency-Key", (it) => {
  it.effect("A repeated request creates a post once, and gets the first response again", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const first = yield* sendOnce("k", "POST", "/v1/posts", post)
      assert.deepStrictEqual([first.status, replayedHeader(first)], [201, null])
      assert.strictEqual(first.headers.get("location"), `${baseUrl}/v1/posts/${first.body.id}`)
      const again = yield* sendOnce("k", "POST", "/v1/posts", post)
      assert.deepStrictEqual(replayedParts(again), replayedParts(first))
      assert.strictEqual(replayedHeader(again), "true")
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )

  it.effect("Another author's key does not get the response, and keys before and after a rotation do", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { apiKeys } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const drafting = yield* makeKey(team.workspaceId, { requiresApproval: true })
      const drafted = yield* sendOnce("k", "POST", "/v1/posts", post, drafting.key)
      assert.strictEqual(drafted.status, 201)
      const refused = yield* sendOnce("k", "POST", "/v1/posts", post)
      assert.deepStrictEqual([refused.status, refused.body.code], [422, "idempotency_mismatch"])
      assert.include(refused.body.detail, "another")
      const rotated = yield* apiKeys.rotate(drafting.id, Duration.hours(1))
      const again = yield* sendOnce("k", "POST", "/v1/posts", post, Redacted.value(rotated.key))
      assert.deepStrictEqual([again.body.id, replayedHeader(again)], [drafted.body.id, "true"])
      const plain = yield* makeKey(team.workspaceId)
      const created = yield* sendOnce("l", "POST", "/v1/posts", post, plain.key)
      const successor = yield* apiKeys.rotate(plain.id, Duration.hours(1))
      const repeated = yield* sendOnce("l", "POST", "/v1/posts", post, Redacted.value(successor.key))
      assert.deepStrictEqual([repeated.body.id, replayedHeader(repeated)], [created.body.id, "true"])
      const another = yield* apiKeys.rotate(successor.stored.id, Duration.hours(1))
      const stored = yield* sendOnce("m", "POST", "/v1/posts", post, Redacted.value(another.key))
      for (const older of [plain.key, Redacted.value(successor.key)]) {
        const overlapping = yield* sendOnce("m", "POST", "/v1/posts", post, older)
        assert.deepStrictEqual([overlapping.body.id, replayedHeader(overlapping)], [stored.body.id, "true"])
      }
      assert.strictEqual((yield* sendOnce("m", "POST", "/v1/posts", post, drafting.key)).status, 422)
      // As the previous version stores it.
      yield* sql`UPDATE idempotency_keys SET author_id = NULL WHERE workspace_id = ${team.workspaceId}::uuid`
      assert.strictEqual(replayedHeader(yield* sendOnce("k", "POST", "/v1/posts", post)), "true")
    })
  )

  it.effect("A repeated request to publish gets the first response, even if the post's state has changed", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { posts, targets } = yield* Repo
      const { id } = yield* posts.create(team.workspaceId, plan(null))
      const first = yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`)
      assert.deepStrictEqual([first.status, replayedHeader(first)], [202, null])
      for (const claim of yield* targets.claim(100, Duration.minutes(1))) yield* targets.settle(claim, published)
      const again = yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`)
      assert.deepStrictEqual(replayedParts(again), replayedParts(first))
      assert.strictEqual(replayedHeader(again), "true")
      const other = yield* sendOnce("another", "POST", `/v1/posts/${id}/publish`)
      assert.strictEqual(other.body.code, "invalid_state")
    })
  )

  it.effect("A repeated request gets the response that the version before stored, which lacks members", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      const first = yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`)
      yield* sql`UPDATE idempotency_keys SET answer = jsonb_build_object('data', (answer -> 'data') - ${sql.literal(
        "'{platform_overrides,platform_settings,revision,created_by}'::text[]"
      )} || jsonb_build_object('post_targets', (
          SELECT jsonb_agg(target - 'account_id') FROM jsonb_array_elements(answer -> 'data' -> 'post_targets') target
        ))) WHERE workspace_id = ${team.workspaceId}::uuid`
      const again = yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`)
      assert.deepStrictEqual([again.status, replayedHeader(again)], [202, "true"])
      assert.deepInclude(again.body.data, {
        id,
        content: first.body.data.content,
        platform_overrides: {},
        platform_settings: {},
        revision: 1,
        created_by: null
      })
      assert.isNull(again.body.data.post_targets[0].account_id)
    })
  )

  it.effect("A repeated request to delete a post or a group gets the first response, and deletes nothing more", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { posts } = yield* Repo
      const { id } = yield* posts.create(team.workspaceId, { ...plan(null), groupId: group })
      yield* posts.create(team.workspaceId, { ...plan(null), groupId: group })
      const deletions = [
        ["k1", `/v1/posts/${id}`, { data: { id, deleted: true, left_on_platforms: 0 } }],
        ["k2", `/v1/posts/group/${group}`, { data: { group_id: group, deleted: 1, left_on_platforms: 0 } }]
      ] as const
      for (const [key, path, body] of deletions) {
        const first = yield* sendOnce(key, "DELETE", path)
        assert.deepStrictEqual([first.status, first.body, replayedHeader(first)], [200, body, null])
        const again = yield* sendOnce(key, "DELETE", path)
        assert.deepStrictEqual([again.status, again.body, replayedHeader(again)], [200, body, "true"])
      }
      assert.strictEqual((yield* sendOnce("k3", "DELETE", `/v1/posts/${id}`)).status, 404)
    })
  )

  it.effect("A repeated change gets the first response and changes nothing, even if the post was changed since", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      const first = yield* sendOnce("k", "PATCH", `/v1/posts/${id}`, { content: "First" })
      assert.deepStrictEqual([first.status, replayedHeader(first)], [200, null])
      assert.strictEqual((yield* sendOnce("k2", "PATCH", `/v1/posts/${id}`, { content: "Second" })).status, 200)
      const again = yield* sendOnce("k", "PATCH", `/v1/posts/${id}`, { content: "First" })
      assert.deepStrictEqual(replayedParts(again), replayedParts(first))
      assert.deepStrictEqual([replayedHeader(again), again.headers.get("etag")], ["true", first.headers.get("etag")])
      assert.strictEqual((yield* (yield* Repo).posts.get(team.workspaceId, id)).content, "Second")
    })
  )

  it.effect("A repeated change on the condition of a revision is not refused for the revision that it made", () =>
    Effect.gen(function* () {
      const { team } = yield* start
      const url = yield* ServerUrl
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      const send = (idempotencyKey: string, ifMatch: string) =>
        sendJson(
          `${url}/v1/posts/${id}`,
          "PATCH",
          { ...keyHeaders(team.key), "idempotency-key": idempotencyKey, "if-match": ifMatch },
          { content: "Changed" }
        )
      const first = yield* send("k", '"1-draft"')
      assert.strictEqual(first.status, 200)
      const again = yield* send("k", '"1-draft"')
      assert.deepStrictEqual([again.status, replayedHeader(again), again.body], [200, "true", first.body])
      assert.strictEqual((yield* send("k2", '"1-draft"')).body.code, "revision_mismatch")
      // A refused request does not use up its key.
      assert.strictEqual((yield* send("k2", '"2-draft"')).status, 200)
      assert.strictEqual((yield* send("k", '"3-draft"')).body.code, "idempotency_mismatch")
    })
  )

  it.effect("A change that is repeated after its post was deleted gets the first response", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      const first = yield* sendOnce("k", "PATCH", `/v1/posts/${id}`, { tags: ["a"] })
      assert.strictEqual((yield* sendOnce("k2", "DELETE", `/v1/posts/${id}`)).status, 200)
      const again = yield* sendOnce("k", "PATCH", `/v1/posts/${id}`, { tags: ["a"] })
      assert.deepStrictEqual(replayedParts(again), replayedParts(first))
      assert.strictEqual((yield* sendOnce("k3", "PATCH", `/v1/posts/${id}`, { tags: ["a"] })).status, 404)
    })
  )

  it.effect("Ten concurrent changes with one key change a post once", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      const responses = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => sendOnce("k", "PATCH", `/v1/posts/${id}`, { content: "Once" }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        responses.filter((response) => response.status === 200 && replayedHeader(response) === null),
        1
      )
      for (const { body, status } of responses) {
        if (status !== 200) assert.deepStrictEqual([status, body.code], [409, "idempotency_in_flight"])
      }
      assert.strictEqual((yield* (yield* Repo).posts.get(team.workspaceId, id)).revision, 2)
    })
  )

  it.effect("A different request with a used key gets a 422", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { body } = yield* sendOnce("k", "POST", "/v1/posts", post)
      const others = [
        ["POST", "/v1/posts", { ...post, content: "Hello!" }],
        ["POST", `/v1/posts/${body.id}/publish`, undefined],
        ["PATCH", `/v1/posts/${body.id}`, post],
        ["DELETE", `/v1/posts/${body.id}`, undefined],
        ["DELETE", `/v1/posts/group/${group}`, undefined]
      ] as const
      for (const [method, path, other] of others) {
        const response = yield* sendOnce("k", method, path, other)
        assert.deepStrictEqual([response.status, response.body.code], [422, "idempotency_mismatch"], path)
      }
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )

  it.effect("The same request for another post with a used key gets a 422", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { posts } = yield* Repo
      const first = yield* posts.create(team.workspaceId, plan(null))
      const second = yield* posts.create(team.workspaceId, plan(null))
      for (const [method, rest, body] of [
        ["PATCH", "", { content: "Changed" }],
        ["POST", "/publish", undefined],
        ["DELETE", "", undefined]
      ] as const) {
        assert.isBelow((yield* sendOnce(method, method, `/v1/posts/${first.id}${rest}`, body)).status, 300)
        const response = yield* sendOnce(method, method, `/v1/posts/${second.id}${rest}`, body)
        assert.strictEqual(response.body.code, "idempotency_mismatch")
      }
      assert.strictEqual((yield* posts.get(team.workspaceId, second.id)).status, "draft")
    })
  )

  it.effect("An idempotency key is shared by no other API key of its workspace, and not with other workspaces", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const first = yield* sendOnce("k", "POST", "/v1/posts", post)
      const { key } = yield* makeKey(team.workspaceId)
      const again = yield* sendOnce("k", "POST", "/v1/posts", post, key)
      assert.deepStrictEqual([again.status, again.body.code], [422, "idempotency_mismatch"])
      const stranger = yield* makeTeam
      const strange = yield* sendOnce("k", "POST", "/v1/posts", post, stranger.key)
      assert.deepStrictEqual([strange.status, replayedHeader(strange)], [201, null])
      assert.notStrictEqual(strange.body.id, first.body.id)
    })
  )

  it.effect("An API key that requires approval does not get the response to one that published", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
      yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`)
      const { key } = yield* makeKey(team.workspaceId, { requiresApproval: true })
      const response = yield* sendOnce("k", "POST", `/v1/posts/${id}/publish`, undefined, key)
      assert.deepStrictEqual([response.status, response.body.code], [403, "approval_required"])
    })
  )

  it.effect("A failed request does not use up its key, so that it can be corrected and sent again", () =>
    Effect.gen(function* () {
      const { sendOnce } = yield* start
      const refused = yield* sendOnce("k", "POST", "/v1/posts", { content: "Hello", platforms: ["tiktok"] })
      assert.strictEqual(refused.body.code, "integration_not_connected")
      const tooLong = yield* sendOnce("k", "POST", "/v1/posts", {
        content: "x".repeat(281),
        platforms: ["twitter"],
        schedule_at: "1970-01-01T01:00:00Z"
      })
      assert.strictEqual(tooLong.body.code, "content_too_long")
      assert.strictEqual((yield* sendOnce("k", "POST", "/v1/posts", post)).status, 201)
    })
  )

  it.effect("A key can be used again after 24 hours", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const first = yield* sendOnce("k", "POST", "/v1/posts", post)
      yield* TestClock.adjust("24 hours")
      const next = yield* sendOnce("k", "POST", "/v1/posts", { ...post, content: "Another" })
      assert.deepStrictEqual([next.status, replayedHeader(next)], [201, null])
      assert.notStrictEqual(next.body.id, first.body.id)
      assert.strictEqual(yield* countPosts(team), 2)
    })
  )

  it.effect.each([
    { what: "of 255 characters", key: "k".repeat(255), status: 201 },
    { what: "of printable punctuation", key: '!~ {"a"}\'', status: 201 },
    { what: "that is empty", key: "", status: 400 },
    { what: "of 256 characters", key: "k".repeat(256), status: 400 },
    { what: "that is not ASCII", key: "clé", status: 400 },
    { what: "with a control character", key: "a\tb", status: 400 }
  ])("A key $what gets a $status", ({ key, status: expected }) =>
    Effect.gen(function* () {
      const { sendOnce } = yield* start
      const { status, body } = yield* sendOnce(key, "POST", "/v1/posts", post)
      assert.strictEqual(status, expected)
      if (expected === 201) return
      assert.strictEqual(body.code, "invalid_request")
      assert.deepStrictEqual(body.errors[0].path, ["idempotency-key"])
    })
  )

  it.effect("Twenty concurrent requests create one post, and the others get its response or a 409", () =>
    Effect.gen(function* () {
      const { sendOnce, team } = yield* start
      const responses = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => sendOnce("k", "POST", "/v1/posts", post),
        {
          concurrency: "unbounded"
        }
      )
      const first = responses.filter((response) => response.status === 201 && replayedHeader(response) === null)
      assert.lengthOf(first, 1)
      for (const { body, status } of responses) {
        if (status === 201) assert.deepStrictEqual(body, first[0]?.body)
        else assert.deepStrictEqual([status, body.code], [409, "idempotency_in_flight"])
      }
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )
})

layer(repoLayer)("Idempotency-Key of a plain post", (it) => {
  it.effect("The post of a program is stored together with the response by one statement", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const url = yield* startOnDatabase()
      const team = yield* makeTeam
      const sendOnce = (body: unknown) =>
        sendJson(`${url}/v1/posts`, "POST", { ...keyHeaders(team.key), "idempotency-key": "k" }, body)
      const scheduled = { ...post, schedule_at: "1970-01-01T01:00:00Z" }
      const first = yield* sendOnce(scheduled)
      assert.deepStrictEqual([first.status, replayedHeader(first)], [201, null])
      // The ids of the transaction (xmin) and of the statement within it (cmin).
      const storedBy = yield* sql`
        SELECT xmin::text, cmin::text FROM posts WHERE workspace_id = ${team.workspaceId}::uuid
        UNION SELECT xmin::text, cmin::text FROM idempotency_keys WHERE workspace_id = ${team.workspaceId}::uuid`
      assert.lengthOf(storedBy, 1)
      const again = yield* sendOnce(scheduled)
      assert.deepStrictEqual([replayedParts(again), replayedHeader(again)], [replayedParts(first), "true"])
      assert.strictEqual((yield* sendOnce(post)).body.code, "idempotency_mismatch")
      assert.strictEqual(yield* countPosts(team), 1)
    })
  )

  it.effect("A repetition gets the first response even after the account was disconnected", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { integrations } = yield* Repo
      const team = yield* makeTeam
      const sendOnce = (idempotencyKey: string) =>
        sendJson(`${url}/v1/posts`, "POST", { ...keyHeaders(team.key), "idempotency-key": idempotencyKey }, post)
      const first = yield* sendOnce("k")
      assert.strictEqual(first.status, 201)
      for (const { id } of yield* integrations.list(team.workspaceId)) yield* integrations.disconnect(id)
      const again = yield* sendOnce("k")
      assert.deepStrictEqual([replayedParts(again), replayedHeader(again)], [replayedParts(first), "true"])
      assert.strictEqual((yield* sendOnce("another")).body.code, "integration_not_connected")
    })
  )
})

/** Creates a team with a key that requires approval, on a server whose notifier first runs an effect. */
const startNotifying = Effect.fn("startNotifying")(function* (before: Effect.Effect<unknown, DatabaseUnavailable>) {
  const notifier = yield* Notifier
  const url = yield* startOnDatabase({
    notifier: Layer.succeed(Notifier, {
      ...notifier,
      approvalRequested: (...request) => Effect.andThen(before, notifier.approvalRequested(...request))
    })
  })
  const team = yield* makeTeam
  const { key } = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const body = { ...post, schedule_at: "1970-01-01T01:00:00Z" }
  const send = (method: string, path: string, sent: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, keyHeaders(key), sent)
  const sendOnce = (method: string, path: string, sent: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(key), "idempotency-key": "k" }, sent)
  return {
    team,
    send,
    sendOnce,
    create: sendOnce("POST", "", body)
  }
})

layer(repoLayer)("Idempotency-Key of a request that notifies", (it) => {
  it.effect("A repeated request gets a 409 with Retry-After while the first one is in flight", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const { create, team } = yield* startNotifying(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(released))
      )
      const first = yield* Effect.forkChild(create)
      yield* Deferred.await(begun)
      const second = yield* create
      assert.deepStrictEqual([second.status, second.body.code], [409, "idempotency_in_flight"])
      assert.strictEqual(second.headers.get("retry-after"), "1")
      yield* Deferred.succeed(released, undefined)
      const created = yield* Fiber.join(first)
      assert.strictEqual(created.status, 201)
      const third = yield* create
      assert.deepStrictEqual([third.body, replayedHeader(third)], [created.body, "true"])
      assert.strictEqual((yield* (yield* Repo).notifications.page(team.workspaceId, 0, 10)).total, 1)
    })
  )

  it.effect(
    "A change that asks for approval, its notification and the response are stored together or not at all",
    () =>
      Effect.gen(function* () {
        let isAway = true
        const { send, sendOnce, team } = yield* startNotifying(
          Effect.suspend(() =>
            isAway ? Effect.fail(new DatabaseUnavailable({ operation: "notifying", cause: undefined })) : Effect.void
          )
        )
        const { id } = (yield* send("POST", "", post)).body
        const time = { status: "scheduled", scheduled_at: "1970-01-01T01:00:00Z" }
        assert.strictEqual((yield* sendOnce("PATCH", `/${id}`, time)).status, 503)
        isAway = false
        const changed = yield* sendOnce("PATCH", `/${id}`, time)
        assert.deepStrictEqual([changed.status, replayedHeader(changed)], [200, null])
        assert.deepStrictEqual(replayedHeader(yield* sendOnce("PATCH", `/${id}`, time)), "true")
        assert.strictEqual((yield* (yield* Repo).notifications.page(team.workspaceId, 0, 10)).total, 1)
      })
  )

  it.effect("The post, the notification and the response are stored together or not at all", () =>
    Effect.gen(function* () {
      let isAway = true
      const { create, team } = yield* startNotifying(
        Effect.suspend(() =>
          isAway ? Effect.fail(new DatabaseUnavailable({ operation: "notifying", cause: undefined })) : Effect.void
        )
      )
      const failed = yield* create
      assert.deepStrictEqual([failed.status, failed.body.code], [503, "unavailable"])
      const sql = yield* SqlClient.SqlClient
      const counts = yield* sql`SELECT
        (SELECT count(*)::int FROM posts WHERE workspace_id = ${team.workspaceId}::uuid) AS posts,
        (SELECT count(*)::int FROM notifications WHERE workspace_id = ${team.workspaceId}::uuid) AS notifications,
        (SELECT count(*)::int FROM idempotency_keys WHERE workspace_id = ${team.workspaceId}::uuid) AS keys`
      assert.deepStrictEqual(counts, [{ posts: 0, notifications: 0, keys: 0 }])
      isAway = false
      const created = yield* create
      assert.deepStrictEqual([created.status, created.body.status, replayedHeader(created)], [201, "draft", null])
      assert.deepStrictEqual((yield* create).body, created.body)
    })
  )

  it.effect(
    "Without an Idempotency-Key too, a request for approval and its post are stored together or not at all",
    () =>
      Effect.gen(function* () {
        const { send, team } = yield* startNotifying(
          Effect.fail(new DatabaseUnavailable({ operation: "notifying", cause: undefined }))
        )
        const scheduled = { schedule_at: "1970-01-01T01:00:00Z" }
        assert.strictEqual((yield* send("POST", "", { ...post, ...scheduled })).status, 503)
        assert.strictEqual(yield* countPosts(team), 0)
        const { id } = (yield* send("POST", "", post)).body
        const time = { status: "scheduled", scheduled_at: "1970-01-01T01:00:00Z" }
        assert.strictEqual((yield* send("PATCH", `/${id}`, time)).status, 503)
        const stored = yield* (yield* Repo).posts.get(team.workspaceId, id)
        assert.deepInclude(stored, { status: "draft", scheduled_at: null, revision: 1 })
      })
  )
})
