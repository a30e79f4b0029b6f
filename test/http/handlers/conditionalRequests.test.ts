import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeDrafts } from "../../../src/backup/resume.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../../support/http/team.ts"

// Also plain: it reads posts on the connections for fast reads.

const later = { scheduled_at: DateTime.formatIso(DateTime.makeUnsafe("1970-03-01T00:00:00Z")) }

/** A draft at revision 2, and a function that sends requests to it. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const { id } = yield* (yield* Repo).posts.create(team.workspaceId, plan(null))
  const send = (method: string, ifMatch?: string, body?: unknown, path = "", key?: string) =>
    sendJson(
      `${url}/v1/posts/${id}${path}`,
      method,
      {
        ...keyHeaders(team.key),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
        ...(key !== undefined && { "idempotency-key": key })
      },
      body
    )
  yield* send("PATCH", undefined, { content: "Second" })
  return { team, url, send }
})

layer(databaseServerLayer())("If-Match and ETag", (it) => {
  it.effect("Responses with one post have its revision and status as their ETag", () =>
    Effect.gen(function* () {
      const { send, team, url } = yield* start
      const created = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(team.key), {
        content: "Hello",
        platforms: ["twitter"]
      })
      const read = yield* send("GET")
      const changed = yield* send("PATCH", undefined, { content: "Third" })
      const unchanged = yield* send("PATCH", undefined, { content: "Third" })
      const published = yield* send("POST", undefined, undefined, "/publish")
      assert.deepStrictEqual(
        [created, read, changed, unchanged, published].map(({ headers }) => headers.get("etag")),
        ['"1-draft"', '"2-draft"', '"3-draft"', '"3-draft"', '"4-scheduled"']
      )
      assert.deepStrictEqual(
        [read, changed, unchanged, published].map(({ body }) => body.data.revision),
        [2, 3, 3, 4]
      )
    })
  )

  it.effect("A request with the current revision, with a list that has it, or with any revision is carried out", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      assert.strictEqual((yield* send("PATCH", '"2-draft"', { content: "Third" })).status, 200)
      assert.strictEqual((yield* send("PATCH", '"2-draft", "3-draft"', { content: "Fourth" })).status, 200)
      assert.strictEqual((yield* send("POST", "*", undefined, "/publish")).status, 202)
      assert.strictEqual((yield* send("DELETE", '"5-scheduled"')).status, 200)
    })
  )

  it.effect("A condition with the revision alone is met in any status", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      assert.strictEqual((yield* send("PATCH", '"2"', later)).body.data.status, "draft")
      assert.strictEqual((yield* send("PATCH", '"3"', { status: "scheduled" })).body.data.status, "scheduled")
      assert.strictEqual((yield* send("DELETE", '"3"')).status, 200)
    })
  )

  it.effect("Scheduling a draft and making it a draft again are noticed, though the revision stays", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const draft = yield* send("PATCH", undefined, later)
      const scheduled = yield* send("PATCH", undefined, { status: "scheduled" })
      assert.deepStrictEqual(
        [draft, scheduled].map(({ headers }) => headers.get("etag")),
        ['"3-draft"', '"3-scheduled"']
      )
      const refused = [
        yield* send("PATCH", '"3-draft"', { content: "Third" }),
        yield* send("DELETE", '"3-draft"'),
        yield* send("POST", '"3-draft"', undefined, "/publish")
      ]
      for (const { body, status } of refused) {
        assert.deepStrictEqual([status, body.code], [412, "revision_mismatch"])
        assert.include(body.detail, "it is now at revision 3 and scheduled")
      }
      assert.strictEqual((yield* send("PATCH", '"3-scheduled"', { status: "draft" })).headers.get("etag"), '"3-draft"')
      assert.strictEqual((yield* send("DELETE", '"3-scheduled"')).status, 412)
      assert.strictEqual((yield* send("DELETE", '"3-draft"')).status, 200)
    })
  )

  it.effect("A post that has begun to be published, or was made a draft by resuming, is not deleted as scheduled", () =>
    Effect.gen(function* () {
      const { send, team } = yield* start
      const sql = yield* SqlClient.SqlClient
      yield* send("PATCH", undefined, { ...later, status: "scheduled" })
      yield* sql`UPDATE posts SET status = 'publishing' WHERE workspace_id = ${team.workspaceId}::uuid`
      const refused = yield* send("DELETE", '"3-scheduled"')
      assert.strictEqual(refused.status, 412)
      assert.include(refused.body.detail, "publishing")
      yield* sql`UPDATE posts SET status = 'scheduled' WHERE workspace_id = ${team.workspaceId}::uuid`
      yield* makeDrafts
      assert.strictEqual((yield* send("GET")).headers.get("etag"), '"3-draft"')
      assert.strictEqual((yield* send("DELETE", '"3-scheduled"')).status, 412)
    })
  )

  it.effect("A request with another revision gets a 412 and changes nothing", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      for (const match of ['"1"', '"1-draft", "3-draft"', 'W/"1-draft"', '"2-scheduled"', '"other"']) {
        const refusals = [
          yield* send("PATCH", match, { content: "Third" }),
          yield* send("POST", match, undefined, "/publish"),
          yield* send("POST", match, undefined, "/publish", "k"),
          yield* send("DELETE", match)
        ]
        for (const { body, status } of refusals)
          assert.deepStrictEqual([status, body.code], [412, "revision_mismatch"], match)
      }
      assert.deepInclude((yield* send("GET")).body.data, { content: "Second", status: "draft", revision: 2 })
    })
  )

  it.effect("An ETag that a compressing proxy has weakened or extended is accepted", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const changed = yield* send("PATCH", 'W/"2-draft"', { content: "Third" })
      assert.deepStrictEqual([changed.status, changed.body.data?.revision], [200, 3])
      assert.strictEqual((yield* send("DELETE", '"3-draft-gzip"')).status, 200)
    })
  )

  it.effect("A refusal names the post's revision, or says that no tag is a post's", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const stale = yield* send("DELETE", 'W/"1-draft"')
      assert.include(stale.body.detail, "it is now at revision 2 and a draft")
      const foreign = yield* send("DELETE", 'W/"5f3a-c0ffee"')
      assert.strictEqual(foreign.status, 412)
      assert.include(foreign.body.detail, "If-Match has no ETag of a post")
    })
  )

  it.effect("A malformed If-Match gets a 400 that names the header", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      for (const request of [send("PATCH", "2", {}), send("POST", '"2', undefined, "/publish"), send("DELETE", "")]) {
        const { body, status } = yield* request
        assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
        assert.deepStrictEqual(body.errors[0].path, ["if-match"])
      }
    })
  )

  it.effect("Of two changes of the same revision at the same time, one is carried out", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const responses = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (content) => send("PATCH", '"2-draft"', { content }),
        {
          concurrency: "unbounded"
        }
      )
      assert.sameMembers(
        responses.map(({ status }) => status),
        [200, 412, 412, 412]
      )
      assert.strictEqual((yield* send("GET")).body.data.revision, 3)
    })
  )

  it.effect(
    "If-Match is part of the request that an Idempotency-Key stands for, and a replay ignores the revision",
    () =>
      Effect.gen(function* () {
        const { send } = yield* start
        const first = yield* send("POST", '"2-draft"', undefined, "/publish", "k")
        const again = yield* send("POST", '"2-draft"', undefined, "/publish", "k")
        assert.deepStrictEqual(
          [again.status, again.body, again.headers.get("etag")],
          [202, first.body, '"3-scheduled"']
        )
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        for (const other of ['"3-scheduled"', "*", undefined]) {
          const { body } = yield* send("POST", other, undefined, "/publish", "k")
          assert.strictEqual(body.code, "idempotency_mismatch")
        }
        assert.strictEqual((yield* send("DELETE", '"3"', undefined, "", "d")).status, 200)
        assert.strictEqual((yield* send("DELETE", '"3"', undefined, "", "d")).status, 200)
      })
  )

  it.effect("An unknown post is a 404 whatever its revision should be", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      yield* send("DELETE")
      for (const match of ['"2"', "*"]) assert.strictEqual((yield* send("DELETE", match)).status, 404)
    })
  )
})
