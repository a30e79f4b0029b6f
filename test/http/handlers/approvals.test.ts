import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keyHeaders, makeSendAs } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const soon = "1970-01-02T00:00:00.000Z"
const later = "1970-01-20T00:00:00.000Z"
const draft = { content: "Hello", platforms: ["twitter", "bluesky"] }

/** A team, with a key that requires approval. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendAs = makeSendAs(`${url}/v1/posts`)
  const asAgent = sendAs(keyHeaders(agent.key))
  const asTeam = sendAs(keyHeaders(team.key))
  const asPerson = sendAs({ cookie: team.cookie, "sec-fetch-site": "same-origin" })
  /** A draft whose approval the agent has requested. */
  const request = (extra: object = {}) =>
    Effect.map(asAgent("POST", "", { ...draft, schedule_at: later, ...extra }), ({ body }): string => body.id)
  const read = (id: string) => Effect.map(asTeam("GET", `/${id}`), ({ body }) => body.data)
  return { ...team, agent, sendAs, asAgent, asTeam, asPerson, request, read }
})

layer(databaseServerLayer())("approval", (it) => {
  it.effect("A post shows since when approval of its revision is requested", () =>
    Effect.gen(function* () {
      const { asAgent, read, request } = yield* start
      const id = yield* request()
      const requested = {
        status: "requested",
        revision: 1,
        outdated: false,
        requested_at: "1970-01-01T00:00:00.000Z",
        decided_at: null,
        decided_by: null,
        reason: null,
        requested: null
      }
      assert.deepStrictEqual((yield* read(id)).approval, requested)
      assert.isNull((yield* read((yield* asAgent("POST", "", draft)).body.id)).approval)
    })
  )

  it.effect("A person approves a post by its revision: it is scheduled at its time, and shows who approved it", () =>
    Effect.gen(function* () {
      const { asPerson, read, request, user } = yield* start
      const id = yield* request()
      const approved = yield* asPerson("POST", `/${id}/approve`, { revision: 1 })
      assert.strictEqual(approved.status, 200)
      assert.deepInclude(approved.body.data, { status: "scheduled", scheduled_at: later, revision: 1 })
      assert.deepInclude(approved.body.data.approval, {
        status: "approved",
        revision: 1,
        decided_at: "1970-01-01T00:00:00.000Z",
        decided_by: { type: "user", id: user.id, name: user.email }
      })
      assert.deepStrictEqual(yield* read(id), approved.body.data)
    })
  )

  it.effect("A rejected post stays a draft with the reason, and its revision can't be asked for again", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, read, request } = yield* start
      const id = yield* request()
      const rejected = yield* asTeam("POST", `/${id}/reject`, { revision: 1, reason: "Too early" })
      assert.deepInclude(rejected.body.data, { status: "draft", revision: 1 })
      assert.deepInclude(rejected.body.data.approval, { status: "rejected", revision: 1, reason: "Too early" })
      const again = yield* asAgent("PATCH", `/${id}`, { status: "scheduled" }, { "if-match": '"1"' })
      assert.deepInclude(again.body, { status: 400, code: "invalid_state" })
      assert.include(again.body.detail, "Too early")
      const changed = yield* asAgent("PATCH", `/${id}`, { content: "Hi", status: "scheduled" }, { "if-match": '"1"' })
      assert.deepInclude(changed.body.data.approval, {
        status: "requested",
        revision: 2,
        reason: null,
        requested: { content: "Hello", platform_overrides: {}, thread: [] }
      })
      assert.deepStrictEqual(yield* read(id), changed.body.data)
    })
  )

  it.effect("What one person has rejected nobody else approves or rejects without having read why", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, read, request } = yield* start
      const id = yield* request()
      yield* asTeam("POST", `/${id}/reject`, { revision: 1, reason: "Too early" })
      const rejected = yield* read(id)
      for (const [path, body] of [
        ["approve", { revision: 1 }],
        ["approve", { revision: 1, publish_now: true }],
        ["reject", { revision: 1, reason: "A typo" }]
      ] as const) {
        const { body: refused } = yield* asPerson("POST", `/${id}/${path}`, body)
        assert.deepInclude(refused, { status: 400, code: "invalid_state" })
        assert.include(refused.detail, "already rejected")
        assert.include(refused.detail, "Too early")
      }
      assert.deepStrictEqual(yield* read(id), rejected)
      const changed = yield* asPerson("PATCH", `/${id}`, { content: "Hi" })
      assert.strictEqual((yield* asPerson("POST", `/${id}/approve`, { revision: 1 })).body.code, "revision_mismatch")
      const { body: approved } = yield* asPerson("POST", `/${id}/approve`, { revision: changed.body.data.revision })
      assert.deepInclude(approved.data.approval, { status: "approved", revision: 2, reason: null })
    })
  )

  it.effect("Of a rejection and an approval at the same moment one wins", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, read, request } = yield* start
      for (let round = 0; round < 5; round++) {
        const id = yield* request()
        const [approved, rejected] = yield* Effect.all(
          [
            asPerson("POST", `/${id}/approve`, { revision: 1 }),
            asTeam("POST", `/${id}/reject`, { revision: 1, reason: "No" })
          ],
          { concurrency: 2 }
        )
        assert.deepStrictEqual(
          [approved.status, rejected.status].toSorted((one, other) => one - other),
          [200, 400]
        )
        const post = yield* read(id)
        assert.deepStrictEqual(
          [post.status, post.approval.status, post.approval.reason],
          approved.status === 200 ? ["scheduled", "approved", null] : ["draft", "rejected", "No"]
        )
      }
    })
  )

  it.effect("A revision that was changed since is not approved or rejected, and stays in the queue", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, read, request } = yield* start
      const id = yield* request()
      yield* asAgent("PATCH", `/${id}`, { content: "Changed" }, { "if-match": '"1"' })
      for (const [path, body] of [
        ["approve", { revision: 1 }],
        ["approve", { revision: 1, publish_now: true }],
        ["reject", { revision: 1, reason: "No" }]
      ] as const) {
        const { body: refused } = yield* asPerson("POST", `/${id}/${path}`, body)
        assert.deepInclude(refused, { status: 409, code: "revision_mismatch" })
      }
      const post = yield* read(id)
      assert.deepInclude(post, { status: "draft", revision: 2 })
      assert.deepInclude(post.approval, {
        status: "requested",
        revision: 1,
        requested: { content: "Hello", platform_overrides: {}, thread: [] }
      })
      assert.strictEqual((yield* asPerson("POST", `/${id}/approve`, { revision: 2 })).status, 200)
    })
  )

  it.effect("A draft without a time, or with one that is past, needs a time to be approved", () =>
    Effect.gen(function* () {
      const { asTeam } = yield* start
      const { id } = (yield* asTeam("POST", "", draft)).body
      assert.deepInclude((yield* asTeam("POST", `/${id}/approve`, { revision: 1 })).body, {
        status: 400,
        code: "time_required"
      })
      const both = { revision: 1, scheduled_at: later, publish_now: true }
      assert.strictEqual((yield* asTeam("POST", `/${id}/approve`, both)).body.code, "invalid_request")
      const given = yield* asTeam("POST", `/${id}/approve`, { revision: 1, scheduled_at: later, publish_now: false })
      assert.deepInclude(given.body.data, { status: "scheduled", scheduled_at: later, revision: 2 })
      assert.deepInclude(given.body.data.approval, { status: "approved", revision: 2, requested: null })
      const past = (yield* asTeam("POST", "", { ...draft, schedule_at: soon, status: "draft" })).body.id
      yield* TestClock.setTime(Date.parse(soon) + 5 * 60_000 + 1)
      assert.strictEqual((yield* asTeam("POST", `/${past}/approve`, { revision: 1 })).body.code, "time_required")
      const now = yield* asTeam("POST", `/${past}/approve`, { revision: 1, publish_now: true })
      assert.deepInclude(now.body.data, { status: "scheduled", scheduled_at: "1970-01-02T00:05:00.001Z" })
    })
  )

  it.effect("Approving checks what scheduling checks", () =>
    Effect.gen(function* () {
      const { asTeam, read } = yield* start
      const overrides = { twitter: "a".repeat(281) }
      const { id } = (yield* asTeam("POST", "", { ...draft, platform_overrides: overrides })).body
      const refused = yield* asTeam("POST", `/${id}/approve`, { revision: 1, publish_now: true })
      assert.strictEqual(refused.body.code, "content_too_long")
      assert.deepInclude(yield* read(id), { status: "draft", revision: 1, approval: null })
    })
  )

  it.effect("Only drafts are approved and rejected, and only those of the workspace", () =>
    Effect.gen(function* () {
      const { asTeam } = yield* start
      const stranger = yield* start
      const { id } = (yield* asTeam("POST", "", { ...draft, schedule_at: later })).body
      for (const [path, body] of [
        ["approve", { revision: 1 }],
        ["reject", { revision: 1, reason: "No" }]
      ] as const) {
        assert.strictEqual((yield* asTeam("POST", `/${id}/${path}`, body)).body.code, "invalid_state")
        assert.strictEqual((yield* stranger.asTeam("POST", `/${id}/${path}`, body)).status, 404)
      }
      yield* asTeam("DELETE", `/${id}`)
      assert.strictEqual((yield* asTeam("POST", `/${id}/approve`, { revision: 1 })).status, 404)
    })
  )

  it.effect("A key that requires approval decides nothing, not even with the scope, and neither does a viewer", () =>
    Effect.gen(function* () {
      const { request, sendAs, workspaceId } = yield* start
      const id = yield* request()
      const scopes = ["posts:write", "posts:publish"] as const
      const { key } = yield* makeKey(workspaceId, { requiresApproval: true, scopes })
      const viewer = yield* makeMember(workspaceId, "viewer")
      const cookie = yield* makeSession(viewer.id, workspaceId)
      const asViewer = sendAs({ cookie, "sec-fetch-site": "same-origin" })
      for (const [path, body] of [
        ["approve", { revision: 1 }],
        ["reject", { revision: 1, reason: "No" }]
      ] as const) {
        const ofKey = yield* sendAs(keyHeaders(key))("POST", `/${id}/${path}`, body)
        assert.deepInclude(ofKey.body, { status: 403, code: "approval_required" })
        const ofViewer = yield* asViewer("POST", `/${id}/${path}`, body)
        assert.deepInclude(ofViewer.body, { status: 403, code: "insufficient_role" })
      }
    })
  )

  it.effect("Of an approval and a change at the same moment one wins, and so it is with two approvals", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, asTeam, read, request } = yield* start
      for (let round = 0; round < 5; round++) {
        const id = yield* request()
        const change = asAgent("PATCH", `/${id}`, { content: "Swapped" }, { "if-match": '"1"' })
        const approval = asPerson("POST", `/${id}/approve`, { revision: 1 })
        const [changed, approved] = yield* Effect.all([change, approval], { concurrency: 2 })
        const post = yield* read(id)
        if (approved.status === 200) {
          assert.strictEqual(changed.body.code, "not_own_draft")
          assert.deepInclude(post, { status: "scheduled", content: "Hello", revision: 1 })
        } else {
          assert.deepInclude(approved.body, { status: 409, code: "revision_mismatch" })
          assert.deepInclude(post, { status: "draft", content: "Swapped", revision: 2 })
        }
        const again = yield* request()
        const both = [asPerson, asTeam].map((send) => send("POST", `/${again}/approve`, { revision: 1 }))
        const codes = (yield* Effect.all(both, { concurrency: 2 })).map(({ body }): string => body.code ?? "approved")
        assert.deepStrictEqual(codes.toSorted(), ["approved", "invalid_state"])
      }
    })
  )

  it.effect("A repeated approval with an Idempotency-Key gets the first response", () =>
    Effect.gen(function* () {
      const { asTeam, request } = yield* start
      const id = yield* request()
      const approve = asTeam("POST", `/${id}/approve`, { revision: 1 }, { "idempotency-key": "once" })
      const first = yield* approve
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual((yield* approve).body, first.body)
      const other = asTeam("POST", `/${id}/approve`, { revision: 2 }, { "idempotency-key": "once" })
      assert.strictEqual((yield* other).body.code, "idempotency_mismatch")
    })
  )

  it.effect("Approval of what is changed afterwards is of the earlier revision", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, asTeam, request } = yield* start
      const id = yield* request()
      yield* asPerson("POST", `/${id}/approve`, { revision: 1 })
      const changed = (yield* asTeam("PATCH", `/${id}`, { content: "Other" })).body.data
      assert.deepInclude(changed, { status: "scheduled", revision: 2 })
      assert.deepInclude(changed.approval, { status: "approved", revision: 1 })
      yield* asTeam("PATCH", `/${id}`, { status: "draft" })
      const asked = yield* asAgent("PATCH", `/${id}`, { status: "scheduled" }, { "if-match": '"2"' })
      assert.deepInclude(asked.body.data.approval, { status: "requested", revision: 2, decided_by: null })
    })
  )

  it.effect("A request of the version before, which stores no text, is shown and decided", () =>
    Effect.gen(function* () {
      const { asTeam, read } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { id } = (yield* asTeam("POST", "", { ...draft, schedule_at: later, status: "draft" })).body
      yield* sql`UPDATE posts SET approval_requested_revision = revision WHERE id = ${id}::uuid`
      assert.deepInclude((yield* read(id)).approval, { status: "requested", revision: 1, requested_at: null })
      yield* asTeam("POST", `/${id}/reject`, { revision: 1, reason: "No" })
      assert.deepInclude((yield* read(id)).approval, { status: "rejected", revision: 1, reason: "No" })
    })
  )

  it.effect("A post keeps the text of the request before, and no older ones", () =>
    Effect.gen(function* () {
      const { asAgent, read, request } = yield* start
      const sql = yield* SqlClient.SqlClient
      const id = yield* request()
      for (const revision of [1, 2, 3]) {
        const patch = { content: `Text ${revision + 1}`, status: "scheduled" }
        yield* asAgent("PATCH", `/${id}`, patch, { "if-match": `"${revision}"` })
      }
      assert.deepInclude((yield* read(id)).approval, {
        revision: 4,
        requested: { content: "Text 3", platform_overrides: {}, thread: [] }
      })
      const kept = yield* sql`SELECT revision FROM post_approvals WHERE post_id = ${id}::uuid ORDER BY revision`
      assert.deepStrictEqual(kept, [{ revision: 3 }, { revision: 4 }])
    })
  )

  it.effect("Whoever schedules a submitted draft or publishes it otherwise has approved what goes out", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, read, request, user } = yield* start
      const scheduled = yield* request()
      const changed = yield* asPerson("PATCH", `/${scheduled}`, { content: "Better", status: "scheduled" })
      assert.strictEqual(changed.status, 200)
      const published = yield* request()
      const out = yield* asPerson("POST", `/${published}/publish`)
      assert.strictEqual(out.status, 202)
      for (const [id, answer] of [
        [scheduled, changed],
        [published, out]
      ] as const) {
        const post = yield* read(id)
        assert.deepInclude(post.approval, {
          status: "approved",
          revision: post.revision,
          decided_by: { type: "user", id: user.id, name: user.email }
        })
        assert.deepStrictEqual(answer.body.data.approval, post.approval)
        const { body: history } = yield* asTeam("GET", `/${id}/history`)
        assert.include(
          history.data.map(({ event }: { event: { type: string } }) => event.type),
          "post.approved"
        )
      }
      const { body: queue } = yield* asTeam("GET", "?approval=requested")
      assert.notIncludeMembers(
        queue.data.map(({ id }: { id: string }) => id),
        [scheduled, published]
      )
    })
  )

  it.effect("Scheduling a draft whose last revision was rejected or approved before decides nothing again", () =>
    Effect.gen(function* () {
      const { asPerson, read, request } = yield* start
      const rejected = yield* request()
      yield* asPerson("POST", `/${rejected}/reject`, { revision: 1, reason: "Too early" })
      yield* asPerson("PATCH", `/${rejected}`, { status: "scheduled" })
      assert.deepInclude((yield* read(rejected)).approval, { status: "rejected", reason: "Too early" })
      const approved = yield* request()
      const { body: first } = yield* asPerson("POST", `/${approved}/approve`, { revision: 1 })
      yield* asPerson("PATCH", `/${approved}`, { status: "draft" })
      yield* asPerson("PATCH", `/${approved}`, { status: "scheduled" })
      assert.deepStrictEqual((yield* read(approved)).approval, first.data.approval)
    })
  )

  it.effect("Decisions are events and in the post's history", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, request } = yield* start
      const id = yield* request()
      yield* asTeam("POST", `/${id}/reject`, { revision: 1, reason: "No" })
      yield* asAgent("PATCH", `/${id}`, { content: "Other", status: "scheduled" }, { "if-match": '"1"' })
      yield* asTeam("POST", `/${id}/approve`, { revision: 2 })
      const { data } = (yield* asTeam("GET", `/${id}/history`)).body
      const types = data.map(({ event }: { event: { type: string } }) => event.type).toSorted()
      assert.deepStrictEqual(types, [
        "post.approval_requested",
        "post.approval_requested",
        "post.approved",
        "post.rejected",
        "post.scheduled",
        "post.updated"
      ])
    })
  )

  it.effect(
    "A submitted draft is scheduled only with the scope of those who approve, whatever was changed before",
    () =>
      Effect.gen(function* () {
        const { read, request, sendAs, workspaceId } = yield* start
        const writer = yield* makeKey(workspaceId, { scopes: ["posts:read", "posts:write"] })
        const asWriter = sendAs(keyHeaders(writer.key))
        const time = DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 1 }))
        const id = yield* request({ schedule_at: time })
        for (const patch of [
          { status: "scheduled" },
          { status: "scheduled", scheduled_at: time },
          { status: "scheduled", content: "Changed" }
        ]) {
          const refused = yield* asWriter("PATCH", `/${id}`, patch)
          assert.deepStrictEqual([refused.status, refused.body.code], [403, "insufficient_scope"])
        }
        assert.strictEqual((yield* asWriter("PATCH", `/${id}`, { content: "Changed" })).status, 200)
        assert.strictEqual((yield* asWriter("PATCH", `/${id}`, { status: "scheduled" })).status, 403)
        assert.strictEqual((yield* asWriter("POST", `/${id}/publish`)).status, 403)
        assert.strictEqual((yield* read(id)).status, "draft")
        const own = yield* asWriter("POST", "", { ...draft, schedule_at: time, status: "draft" })
        assert.strictEqual((yield* asWriter("PATCH", `/${own.body.id}`, { status: "scheduled" })).status, 200)
        const publisher = yield* makeKey(workspaceId, { scopes: ["posts:write", "posts:publish"] })
        const scheduled = yield* sendAs(keyHeaders(publisher.key))("PATCH", `/${id}`, { status: "scheduled" })
        assert.deepStrictEqual([scheduled.status, scheduled.body.data.approval.status], [200, "approved"])
      })
  )
})
