import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const later = "1970-01-02T00:00:00.000Z"
const draft = { content: "Hello", platforms: ["twitter", "bluesky"] }

/** A team, with a key that requires approval. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendAs =
    (headers: Readonly<Record<string, string>>) =>
    (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
      sendJson(`${url}/v1/posts${path}`, method, { ...headers, ...more }, body)
  const asAgent = sendAs(keyHeaders(agent.key))
  const asTeam = sendAs(keyHeaders(team.key))
  const asPerson = sendAs({ cookie: team.cookie, "sec-fetch-site": "same-origin" })
  /** A draft of which the agent has requested approval. */
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
        requested: { content: "Hello", platform_overrides: {} }
      })
      assert.deepStrictEqual(yield* read(id), changed.body.data)
    })
  )
})
