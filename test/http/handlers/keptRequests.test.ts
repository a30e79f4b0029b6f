import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { keyHeaders, makeSendAs } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const time = "1970-01-20T00:00:00.000Z"
const later = "1970-01-21T00:00:00.000Z"
const draft = { content: "Hello", platforms: ["twitter", "bluesky"], tags: ["first"] }

/** A team, and an agent's draft that waits for approval. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendAs = makeSendAs(`${url}/v1/posts`)
  const asAgent = sendAs(keyHeaders(agent.key))
  const asPerson = sendAs({ cookie: team.cookie, "sec-fetch-site": "same-origin" })
  const request = Effect.map(asAgent("POST", "", { ...draft, schedule_at: time }), ({ body }): string => body.id)
  const read = (id: string) => Effect.map(asPerson("GET", `/${id}`), ({ body }) => body.data)
  const waiting = Effect.map(asPerson("GET", "?approval=requested"), ({ body }): ReadonlyArray<string> =>
    body.data.map(({ id }: { readonly id: string }) => id)
  )
  return { ...team, agent, sendAs, asAgent, asPerson, request, read, waiting, id: yield* request }
})

const open = { status: "requested", outdated: false, requested_at: "1970-01-01T00:00:00.000Z", decided_at: null }

layer(databaseServerLayer())("a request for approval", (it) => {
  it.effect("A draft that a person moves, tags and moves back still waits for approval, as it now is", () =>
    Effect.gen(function* () {
      const { asPerson, id, read, user, waiting } = yield* start
      const changes = [{ scheduled_at: later }, { tags: ["second"] }, { scheduled_at: null }, { scheduled_at: time }]
      for (const [index, change] of changes.entries()) {
        const { body } = yield* asPerson("PATCH", `/${id}`, change, { "if-match": `"${index + 1}-draft"` })
        assert.deepInclude(body.data, { status: "draft", revision: index + 2 })
        assert.deepInclude(body.data.approval, { ...open, revision: index + 2, requested: null })
        assert.deepStrictEqual(yield* read(id), body.data)
        assert.deepStrictEqual(yield* waiting, [id])
      }
      const { body } = yield* asPerson("GET", `/${id}/history`)
      const moved = body.data.filter(({ details }: { readonly details: unknown }) => details !== null)
      assert.deepStrictEqual(
        moved.map(({ details }: { readonly details: unknown }) => details).toReversed(),
        ["scheduled_at", "tags", "scheduled_at", "scheduled_at"].map((member) => ({
          changed: [member],
          approval_renewed: true
        }))
      )
      assert.strictEqual((yield* asPerson("POST", `/${id}/approve`, { revision: 1 })).body.code, "revision_mismatch")
      const approved = yield* asPerson("POST", `/${id}/approve`, { revision: 5 })
      assert.deepInclude(approved.body.data.approval, { status: "approved", revision: 5, outdated: false })
      assert.strictEqual(approved.body.data.approval.decided_by.id, user.id)
    })
  )

  it.effect("A change of the text voids the request, unless the person who makes it keeps it", () =>
    Effect.gen(function* () {
      const { asPerson, id, read, request, waiting } = yield* start
      const { body: voided } = yield* asPerson("PATCH", `/${id}`, { content: "Hi", tags: [] })
      assert.deepInclude(voided.data.approval, { status: "requested", revision: 1, outdated: true })
      assert.deepStrictEqual(yield* waiting, [])

      const kept = yield* request
      for (const [index, change] of [
        { content: "Hi there" },
        { content: "Hi again", platforms: ["twitter"] },
        { scheduled_at: later }
      ].entries()) {
        const { body } = yield* asPerson("PATCH", `/${kept}`, { ...change, keep_approval_request: true })
        const revision = index + 2
        assert.deepInclude(body.data, { status: "draft", revision })
        assert.deepInclude(body.data.approval, { ...open, revision })
        // The text before, to show what has changed.
        const former = index === 0 ? "Hello" : "Hi there"
        assert.deepInclude(body.data.approval.requested, { content: former, platform_overrides: {} })
        assert.deepStrictEqual(yield* waiting, [kept])
      }
      const approved = yield* asPerson("POST", `/${kept}/approve`, { revision: 4 })
      assert.deepInclude(approved.body.data, { status: "scheduled", content: "Hi again", scheduled_at: later })
      assert.deepStrictEqual(yield* read(kept), approved.body.data)
    })
  )

  it.effect("A person can withdraw the request with a change of the time, and keep none that there is not", () =>
    Effect.gen(function* () {
      const { asPerson, id, request, waiting } = yield* start
      yield* asPerson("PATCH", `/${id}`, { scheduled_at: later, keep_approval_request: false })
      assert.deepStrictEqual(yield* waiting, [])
      const { body: still } = yield* asPerson("PATCH", `/${id}`, { scheduled_at: time, keep_approval_request: true })
      assert.deepInclude(still.data.approval, { revision: 1, outdated: true })

      const rejected = yield* request
      yield* asPerson("POST", `/${rejected}/reject`, { revision: 1, reason: "No" })
      const { body } = yield* asPerson("PATCH", `/${rejected}`, { content: "Hi", keep_approval_request: true })
      assert.deepInclude(body.data.approval, { status: "rejected", revision: 1, outdated: true })
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("Only those who may approve keep a request, and not while they schedule the post", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, id, sendAs, waiting, workspaceId } = yield* start
      const writer = sendAs(keyHeaders((yield* makeKey(workspaceId, { scopes: ["posts:read", "posts:write"] })).key))
      const change = { scheduled_at: later, keep_approval_request: true }
      const match = { "if-match": '"1-draft"' }
      const refused = yield* asAgent("PATCH", `/${id}`, change, match)
      assert.deepInclude(refused.body, { status: 403, code: "approval_required" })
      assert.include(refused.body.detail, "status")
      assert.deepInclude((yield* writer("PATCH", `/${id}`, change)).body, { status: 403, code: "insufficient_scope" })
      const both = yield* asPerson("PATCH", `/${id}`, { ...change, status: "scheduled" })
      assert.deepInclude(both.body, { status: 400, code: "invalid_request" })
      assert.deepStrictEqual(both.body.errors[0].path, ["keep_approval_request"])
      assert.deepStrictEqual(yield* waiting, [id])

      yield* writer("PATCH", `/${id}`, { tags: [] })
      assert.deepStrictEqual(yield* waiting, [])
      yield* asAgent("PATCH", `/${id}`, { status: "scheduled" }, { "if-match": '"2-draft"' })
      assert.deepStrictEqual(yield* waiting, [id])
      const moved = yield* asAgent("PATCH", `/${id}`, { scheduled_at: later }, { "if-match": '"2-draft"' })
      assert.deepInclude(moved.body.data.approval, { status: "requested", revision: 2, outdated: true })
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("A request that the previous version stored without its text is kept too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { asPerson, id, request, waiting } = yield* start
      const other = yield* request
      yield* sql`DELETE FROM post_approvals WHERE post_id IN (${id}::uuid, ${other}::uuid)`
      const { body: moved } = yield* asPerson("PATCH", `/${id}`, { scheduled_at: later })
      assert.deepInclude(moved.data.approval, { status: "requested", revision: 2, outdated: false })
      const change = { content: "Hi", keep_approval_request: true }
      const { body: changed } = yield* asPerson("PATCH", `/${other}`, change)
      assert.deepInclude(changed.data.approval, { status: "requested", revision: 2, outdated: false })
      assert.sameMembers(Array.from(yield* waiting), [id, other])
    })
  )

  it.effect("Of a move and an approval at the same moment one is refused, and no request is lost", () =>
    Effect.gen(function* () {
      const { asPerson, read, request } = yield* start
      for (let round = 0; round < 6; round++) {
        const id = yield* request
        const [moved, approved] = yield* Effect.all(
          [
            asPerson("PATCH", `/${id}`, { scheduled_at: later }, { "if-match": '"1-draft"' }),
            asPerson("POST", `/${id}/approve`, { revision: 1 })
          ],
          { concurrency: 2 }
        )
        const post = yield* read(id)
        const outcome = [moved.status, approved.status, post.status, post.approval.status, post.approval.outdated]
        assert.deepInclude(
          [
            [200, 409, "draft", "requested", false],
            [412, 200, "scheduled", "approved", false]
          ],
          outcome
        )
      }
    })
  )

  it.effect("Of two approvers, one of whom moves the draft, each decides about the draft that they read", () =>
    Effect.gen(function* () {
      const { asPerson, read, request, sendAs, workspaceId } = yield* start
      const other = yield* makeMember(workspaceId, "editor")
      const asOther = sendAs({ cookie: yield* makeSession(other.id, workspaceId), "sec-fetch-site": "same-origin" })
      for (let round = 0; round < 4; round++) {
        const id = yield* request
        const change = { content: "Hi", keep_approval_request: true }
        const [changed, rejected] = yield* Effect.all(
          [
            asPerson("PATCH", `/${id}`, change, { "if-match": '"1-draft"' }),
            asOther("POST", `/${id}/reject`, { revision: 1, reason: "No" })
          ],
          { concurrency: 2 }
        )
        const { approval, content } = yield* read(id)
        const isChanged = content === "Hi"
        // A draft that was rejected first can still be changed, but then waits for nobody.
        assert.strictEqual(changed.status, isChanged ? 200 : 412)
        if (rejected.status === 200) assert.deepInclude(approval, { status: "rejected", outdated: isChanged })
        else assert.deepInclude(approval, { status: "requested", revision: 2, outdated: false })
      }
    })
  )

  it.effect("Of a requester's edit and a person's move at the same moment one is refused, and the draft waits", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, read, request, waiting } = yield* start
      for (let round = 0; round < 4; round++) {
        const id = yield* request
        const match = { "if-match": '"1-draft"' }
        const edit = { content: "Hi", status: "scheduled" }
        const answers = yield* Effect.all(
          [asAgent("PATCH", `/${id}`, edit, match), asPerson("PATCH", `/${id}`, { scheduled_at: later }, match)],
          { concurrency: 2 }
        )
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 412]
        )
        assert.deepInclude((yield* read(id)).approval, { status: "requested", revision: 2, outdated: false })
        assert.include(yield* waiting, id)
      }
    })
  )
})
