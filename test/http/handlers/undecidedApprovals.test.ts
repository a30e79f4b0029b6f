import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam, startOnDatabase } from "../../support/http/team.ts"

const later = "1970-01-20T00:00:00.000Z"
const group = "01a1fc17-dc2e-777d-ad63-5a461a1bba47"
const draft = { content: "Hello", platforms: ["twitter"] }

/** A team with a key that requires approval. */
const start = Effect.fn("start")(function* (server?: string) {
  const url = server ?? (yield* ServerUrl)
  const team = yield* makeTeam
  const { integrations } = yield* Repo
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendWith =
    (key: string) =>
    (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(key), ...headers }, body)
  const [asAgent, asTeam] = [sendWith(agent.key), sendWith(team.key)]
  const request = (extra: object = {}) =>
    Effect.map(asAgent("POST", "", { ...draft, schedule_at: later, ...extra }), ({ body }): string => body.id)
  const read = (id: string) => Effect.map(asTeam("GET", `/${id}`), ({ body }) => body.data)
  const queue = Effect.map(asTeam("GET", "?approval=requested"), ({ body }): ReadonlyArray<string> =>
    body.data.map(({ id }: { id: string }) => id)
  )
  const account = Effect.map(integrations.list(team.workspaceId), (accounts) => {
    const twitter = accounts.find(({ platform }) => platform === "twitter")
    return twitter ?? assert.fail("X is not connected")
  })
  return { ...team, account, asAgent, asTeam, integrations, queue, read, request }
})

layer(databaseServerLayer())("approvals that nobody has decided yet", (it) => {
  it.effect("A draft whose account was disconnected stays in the queue, and is approved as it is scheduled", () =>
    Effect.gen(function* () {
      const { account, asTeam, integrations, queue, read, request } = yield* start()
      const [first, second] = [yield* request(), yield* request()]
      yield* integrations.disconnect((yield* account).id)
      assert.sameMembers([...(yield* queue)], [first, second])
      const scheduled = yield* asTeam("PATCH", `/${first}`, { status: "scheduled" })
      const approved = yield* asTeam("POST", `/${second}/approve`, { revision: 1 })
      assert.deepStrictEqual([approved.status, approved.body.code], [scheduled.status, scheduled.body.code])
      assert.strictEqual((yield* read(second)).status, (yield* read(first)).status)
    })
  )

  it.effect(
    "Replacing an account asks for approval of no draft that was changed or rejected, and notifies nobody",
    () =>
      Effect.gen(function* () {
        const { account, asTeam, integrations, queue, read, request, workspaceId } = yield* start()
        const { notifications } = yield* Repo
        const [waiting, changed, rejected] = [yield* request(), yield* request(), yield* request()]
        yield* asTeam("PATCH", `/${changed}`, { content: "Changed by a person" })
        yield* asTeam("POST", `/${rejected}/reject`, { revision: 1, reason: "Not now" })
        const { total } = yield* notifications.page(workspaceId, 0, 1)
        const { platform } = yield* account
        const next = {
          platform,
          accountId: "another",
          username: "another",
          displayName: null,
          avatarUrl: null,
          serviceUrl: null,
          credentials: Redacted.make("{}")
        }
        yield* integrations.replaceAccount(workspaceId, next, { posts: "replace" })

        assert.sameMembers([...(yield* queue)], [waiting])
        assert.deepInclude((yield* read(changed)).approval, { status: "requested", revision: 1 })
        assert.deepInclude((yield* read(rejected)).approval, { status: "rejected", revision: 1 })
        assert.strictEqual((yield* notifications.page(workspaceId, 0, 1)).total, total)
      })
  )

  it.effect("A draft that was changed after approval was requested leaves the queue until it is requested again", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, queue, read, request } = yield* start()
      const [changed, other] = [yield* request(), yield* request()]
      const { body } = yield* asTeam("PATCH", `/${changed}`, { content: "Changed by a person" })
      assert.deepInclude(body.data, { status: "draft", revision: 2 })
      assert.deepInclude(body.data.approval, { status: "requested", revision: 1 })
      assert.deepStrictEqual(yield* queue, [other])
      const again = { status: "scheduled", scheduled_at: later }
      assert.strictEqual((yield* asAgent("PATCH", `/${changed}`, again, { "if-match": '"2"' })).status, 200)
      assert.deepInclude((yield* read(changed)).approval, { status: "requested", revision: 2 })
      assert.sameMembers([...(yield* queue)], [changed, other])
    })
  )

  it.effect("A draft whose account was replaced stays in the queue, and is approved at its next revision only", () =>
    Effect.gen(function* () {
      const { asTeam, integrations, queue, read, request, workspaceId } = yield* start()
      const id = yield* request()
      const next = {
        platform: "twitter",
        accountId: "next",
        username: "next",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("credentials")
      } as const
      yield* integrations.replaceAccount(workspaceId, next, { posts: "replace" })
      assert.deepStrictEqual(yield* queue, [id])
      const post = yield* read(id)
      assert.deepInclude(post, { status: "draft", revision: 2 })
      assert.deepInclude(post.approval, { status: "requested", revision: 2 })
      const outdated = yield* asTeam("POST", `/${id}/approve`, { revision: 1 })
      assert.deepInclude(outdated.body, { status: 409, code: "revision_mismatch" })
      const approved = (yield* asTeam("POST", `/${id}/approve`, { revision: 2 })).body.data
      assert.strictEqual(approved.status, "scheduled")
      assert.strictEqual(approved.post_targets[0].account_id, "next")
      assert.deepInclude(approved.approval, { status: "approved", revision: 2 })
      assert.deepStrictEqual(yield* queue, [])
    })
  )

  it.effect("A draft whose media is still being processed is not approved", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, read, workspaceId } = yield* start()
      const file = yield* storeFile(workspaceId, { status: "processing" })
      const { id } = (yield* asAgent("POST", "", { ...draft, media: [{ id: file.id }] })).body
      const refused = yield* asTeam("POST", `/${id}/approve`, { revision: 1, publish_now: true })
      assert.deepInclude(refused.body, { status: 400, code: "media_not_ready" })
      assert.deepInclude(yield* read(id), { status: "draft", revision: 1, approval: null })
    })
  )

  it.effect("Approval of media that is still being processed can't be requested", () =>
    Effect.gen(function* () {
      const { asAgent, queue, read, request, workspaceId } = yield* start()
      const file = yield* storeFile(workspaceId, { status: "processing" })
      const media = [{ id: file.id }]
      const created = yield* asAgent("POST", "", { ...draft, schedule_at: later, media })
      assert.deepInclude(created.body, { status: 400, code: "media_not_ready" })
      assert.deepStrictEqual(yield* queue, [])
      const id = yield* request()
      const before = yield* read(id)
      const changed = yield* asAgent("PATCH", `/${id}`, { media, status: "scheduled" }, { "if-match": '"1"' })
      assert.deepInclude(changed.body, { status: 400, code: "media_not_ready" })
      assert.deepStrictEqual(yield* read(id), before)
    })
  )

  it.effect("A group with a draft that waits for approval is deleted by a person's key, and the queue is empty", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, queue, request } = yield* start()
      const sql = yield* SqlClient.SqlClient
      const id = yield* request({ group_id: group })
      yield* asAgent("POST", "", { ...draft, group_id: group })
      const refused = yield* asAgent("DELETE", `/group/${group}`, undefined, { "if-match": "*" })
      assert.deepInclude(refused.body, { status: 428, code: "precondition_required" })
      assert.deepStrictEqual(yield* queue, [id])
      const deleted = yield* asTeam("DELETE", `/group/${group}`)
      assert.deepStrictEqual(deleted.body.data, { group_id: group, deleted: 2, left_on_platforms: 0 })
      assert.deepStrictEqual(yield* queue, [])
      assert.deepStrictEqual(yield* sql`SELECT FROM post_approvals WHERE post_id = ${id}::uuid`, [])
    })
  )

  it.effect("Where people can't be notified, approval is not requested and nothing is changed", () =>
    Effect.gen(function* () {
      const unavailable = Effect.fail(new DatabaseUnavailable({ operation: "recording events", cause: "test" }))
      const silent = Layer.mock(Notifier, { approvalRequested: () => unavailable })
      const { asAgent, asTeam, queue, read } = yield* start(yield* startOnDatabase({ notifier: silent }))
      const refused = yield* asAgent("POST", "", { ...draft, schedule_at: later })
      assert.strictEqual(refused.status, 503)
      assert.deepStrictEqual((yield* asTeam("GET", "")).body.data, [])
      const { id } = (yield* asAgent("POST", "", draft)).body
      const before = yield* read(id)
      const changes = { content: "Changed", status: "scheduled", scheduled_at: later }
      assert.strictEqual((yield* asAgent("PATCH", `/${id}`, changes)).status, 503)
      assert.deepStrictEqual(yield* read(id), before)
      assert.deepStrictEqual((yield* asTeam("GET", `/${id}/history`)).body.data, [])
      assert.deepStrictEqual(yield* queue, [])
    })
  )
})
