import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const later = "1970-01-02T00:00:00Z"
const group = "01a1fc17-dc2e-777d-ad63-5a461a1bba45"
const draft = { content: "Hello", platforms: ["twitter"], group_id: group }

/** A team with a key that requires approval, and functions that send requests with it and with the team's own key. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendWith = (key: string) => (method: string, path: string, body?: unknown, ifMatch?: string) =>
    sendJson(
      `${url}/v1/posts${path}`,
      method,
      { ...keyHeaders(key), ...(ifMatch !== undefined && { "if-match": ifMatch }) },
      body
    )
  const requests = Effect.gen(function* () {
    const { notifications } = yield* Repo
    return (yield* notifications.page(team.workspaceId, 0, 100)).total
  })
  return { agent, asAgent: sendWith(agent.key), asTeam: sendWith(team.key), sendWith, requests }
})

layer(databaseServerLayer())("keys that require approval", (it) => {
  it.effect("A key that requires approval changes and deletes the drafts that it created", () =>
    Effect.gen(function* () {
      const { asAgent } = yield* start
      const { id } = (yield* asAgent("POST", "", draft)).body
      const changed = yield* asAgent("PATCH", `/${id}`, {
        content: "Changed",
        platform_overrides: { twitter: "For X" }
      })
      assert.deepInclude(changed.body.data, { content: "Changed", platform_overrides: { twitter: "For X" } })
      assert.strictEqual((yield* asAgent("DELETE", `/${id}`)).status, 200)
    })
  )

  it.effect("A key that requires approval changes and deletes nothing that another key created", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam } = yield* start
      for (const body of [draft, { ...draft, schedule_at: later }]) {
        const { id } = (yield* asTeam("POST", "", body)).body
        for (const request of [
          asAgent("PATCH", `/${id}`, { content: "Changed" }),
          asAgent("PATCH", `/${id}`, { status: "draft" }),
          asAgent("DELETE", `/${id}`),
          asAgent("DELETE", `/${id}`, undefined, "*")
        ]) {
          const response = yield* request
          assert.deepStrictEqual([response.status, response.body.code], [403, "not_own_draft"])
        }
        assert.deepInclude((yield* asTeam("GET", `/${id}`)).body.data, { content: "Hello", revision: 1 })
      }
    })
  )

  it.effect("A key that requires approval can't change or delete its post after a person has scheduled it", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam } = yield* start
      const { id } = (yield* asAgent("POST", "", draft)).body
      yield* asTeam("PATCH", `/${id}`, { status: "scheduled", scheduled_at: later })
      for (const request of [
        asAgent("PATCH", `/${id}`, { content: "Changed" }, "*"),
        asAgent("PATCH", `/${id}`, { status: "draft" }, "*"),
        asAgent("DELETE", `/${id}`, undefined, "*")
      ]) {
        const response = yield* request
        assert.deepStrictEqual([response.status, response.body.code], [403, "not_own_draft"])
      }
      assert.deepInclude((yield* asTeam("GET", `/${id}`)).body.data, { content: "Hello", status: "scheduled" })
    })
  )

  it.effect("The drafts of a key are those of the keys that replace it", () =>
    Effect.gen(function* () {
      const { agent, asAgent, sendWith } = yield* start
      const { apiKeys } = yield* Repo
      const { id } = (yield* asAgent("POST", "", draft)).body
      const second = yield* apiKeys.rotate(agent.id, Duration.hours(1))
      const third = yield* apiKeys.rotate(second.stored.id, Duration.hours(1))
      const asThird = sendWith(Redacted.value(third.key))
      assert.strictEqual((yield* asThird("PATCH", `/${id}`, { content: "Changed" })).status, 200)
      const own = (yield* asThird("POST", "", draft)).body.id
      assert.strictEqual((yield* asAgent("DELETE", `/${own}`)).body.code, "not_own_draft")
      assert.strictEqual((yield* asThird("DELETE", `/${id}`)).status, 200)
    })
  )

  it.effect("Once approval is requested, the key has to say which revision it changes or deletes", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam } = yield* start
      const { id } = (yield* asAgent("POST", "", { ...draft, schedule_at: later })).body
      for (const request of [
        asAgent("PATCH", `/${id}`, { content: "Swapped" }),
        asAgent("PATCH", `/${id}`, { status: "scheduled" }),
        asAgent("DELETE", `/${id}`),
        asAgent("PATCH", `/${id}`, { content: "Swapped" }, "*"),
        asAgent("PATCH", `/${id}`, { status: "scheduled" }, "*"),
        asAgent("DELETE", `/${id}`, undefined, "*"),
        asAgent("DELETE", `/group/${group}`)
      ]) {
        const response = yield* request
        assert.deepStrictEqual([response.status, response.body.code], [428, "precondition_required"])
      }
      assert.strictEqual((yield* asTeam("PATCH", `/${id}`, { content: "A person's text" }, "*")).status, 200)
      const outdated = yield* asAgent("PATCH", `/${id}`, { content: "Swapped" }, '"1"')
      assert.strictEqual(outdated.body.code, "revision_mismatch")
      assert.strictEqual((yield* asAgent("PATCH", `/${id}`, { content: "Seen" }, '"2"')).status, 200)
      assert.strictEqual((yield* asAgent("DELETE", `/${id}`, undefined, '"3"')).status, 200)
    })
  )

  it.effect("Approval is requested once for each revision", () =>
    Effect.gen(function* () {
      const { asAgent, requests } = yield* start
      const { id } = (yield* asAgent("POST", "", { ...draft, schedule_at: later })).body
      assert.strictEqual(yield* requests, 1)
      const schedule = { status: "scheduled", scheduled_at: later }
      for (let times = 0; times < 3; times++) {
        const repeated = yield* asAgent("PATCH", `/${id}`, schedule, '"1"')
        assert.deepInclude(repeated.body.data, { status: "draft", revision: 1 })
      }
      assert.strictEqual(yield* requests, 1)
      yield* asAgent("PATCH", `/${id}`, { content: "Changed" }, '"1"')
      assert.strictEqual(yield* requests, 1)
      yield* asAgent("PATCH", `/${id}`, schedule, '"2"')
      yield* asAgent("PATCH", `/${id}`, schedule, '"2"')
      assert.strictEqual(yield* requests, 2)
    })
  )

  it.effect("A group that has a post of another key is not deleted at all", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam } = yield* start
      yield* asAgent("POST", "", draft)
      const { id } = (yield* asTeam("POST", "", draft)).body
      yield* asAgent("POST", "", draft)
      const refused = yield* asAgent("DELETE", `/group/${group}`)
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "not_own_draft"])
      assert.lengthOf((yield* asTeam("GET", `/group/${group}`)).body.data, 3)
      yield* asTeam("DELETE", `/${id}`)
      assert.deepStrictEqual((yield* asAgent("DELETE", `/group/${group}`)).body.data, {
        group_id: group,
        deleted: 2,
        left_on_platforms: 0
      })
    })
  )

  it.effect("A post names the key that created it", () =>
    Effect.gen(function* () {
      const { agent, asAgent, asTeam } = yield* start
      const { id } = (yield* asAgent("POST", "", draft)).body
      const { created_by } = (yield* asTeam("GET", `/${id}`)).body.data
      assert.deepStrictEqual(created_by, { type: "key", id: agent.id, name: "A key" })
    })
  )
})
