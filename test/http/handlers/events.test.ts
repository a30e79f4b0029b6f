import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { recordEvents } from "../../support/database/webhookFixtures.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

interface Listed {
  readonly id: string
  readonly position: number
  readonly event: { readonly type: string; readonly data: Record<string, unknown> }
}

const types = (data: ReadonlyArray<Listed>) => data.map(({ event }) => event.type)

/** A team, and calls with its key. `read` dispatches first. */
const start = Effect.gen(function* () {
  const server = yield* ServerUrl
  const team = yield* makeTeam
  const { events } = yield* Repo
  const call = (method: string, path: string, body?: unknown, key = team.key) =>
    sendJson(`${server}/v1${path}`, method, keyHeaders(key), body)
  const read = (path: string) => Effect.andThen(events.dispatch(1000), call("GET", path))
  return { team, call, read }
})

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }))("events", (it) => {
  it.effect("A post's way is recorded: scheduled, changed, made due, unscheduled and deleted", () =>
    Effect.gen(function* () {
      const { call, read } = yield* start
      const at = "1970-01-02T00:00:00.000Z"
      const created = yield* call("POST", "/posts", { content: "Secret", platforms: ["twitter"], schedule_at: at })
      const { id } = created.body
      yield* call("PATCH", `/posts/${id}`, { content: "Other" })
      yield* call("PATCH", `/posts/${id}`, {})
      yield* call("PATCH", `/posts/${id}`, { status: "draft" })
      yield* call("POST", `/posts/${id}/publish`)
      yield* call("POST", `/posts/${id}/publish`)
      yield* call("DELETE", `/posts/${id}`)
      const { body, text } = yield* read(`/events?post_id=${id}`)
      assert.deepStrictEqual(types(body.data), ["post.deleted", "post.scheduled", "post.scheduled", "post.scheduled"])
      assert.deepStrictEqual(body.data[3].event.data, {
        post_id: id,
        status: "scheduled",
        revision: 1,
        scheduled_at: at
      })
      assert.strictEqual(body.data[2].event.data.revision, 2)
      assert.notInclude(text, "Secret")
      const history = yield* read(`/posts/${id}/history`)
      assert.deepStrictEqual(types(history.body.data), [
        "post.deleted",
        "post.scheduled",
        "post.updated",
        "post.scheduled",
        "post.scheduled"
      ])
      assert.hasAllKeys(history.body.data[0], ["id", "event", "details", "by"])
    })
  )

  it.effect("A draft, a refused request and a request for approval record what happened, and no more", () =>
    Effect.gen(function* () {
      const { call, read, team } = yield* start
      const draft = yield* call("POST", "/posts", { content: "Hello", platforms: ["twitter"] })
      yield* call("POST", "/posts", { content: "Hello", platforms: ["tiktok"], schedule_at: "1970-01-02T00:00:00Z" })
      yield* call("PATCH", `/posts/${draft.body.id}`, { status: "scheduled" })
      const { key } = yield* makeKey(team.workspaceId, { requiresApproval: true })
      const asked = yield* call(
        "POST",
        "/posts",
        { content: "Hello", platforms: ["twitter"], schedule_at: "1970-01-02T00:00:00Z" },
        key
      )
      const { body } = yield* read("/events?type=post.approval_requested")
      assert.deepStrictEqual(
        body.data.map(({ event }: Listed) => event.data),
        [{ post_id: asked.body.id, scheduled_at: "1970-01-02T00:00:00.000Z" }]
      )
      const all = types((yield* read("/events")).body.data)
      assert.deepStrictEqual(all.slice(0, 1), ["post.approval_requested"])
      assert.notInclude(all, "post.scheduled")
    })
  )

  it.effect("Pages go back in time, and a client that knows a position reads what is new since", () =>
    Effect.gen(function* () {
      const { read, team } = yield* start
      yield* recordEvents(team.workspaceId, 5)
      const first = yield* read("/events?limit=3")
      const second = yield* read(`/events?limit=3&cursor=${first.body.next_cursor}`)
      const positions = [...first.body.data, ...second.body.data].map(({ position }: Listed) => position)
      assert.deepStrictEqual(
        positions,
        positions.toSorted((left, right) => right - left)
      )
      const known = positions[0]
      assert.deepStrictEqual((yield* read(`/events?after=${known}`)).body.data, [])
      yield* recordEvents(team.workspaceId, 2)
      const fresh = yield* read(`/events?after=${known}`)
      assert.lengthOf(fresh.body.data, 2)
      assert.isAbove(fresh.body.data[1].position, known ?? 0)
    })
  )

  it.effect("`by_key` lists what was done with one key, and nothing for a key that the workspace does not have", () =>
    Effect.gen(function* () {
      const { call, read, team } = yield* start
      const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
      const at = "1970-01-02T00:00:00.000Z"
      const scheduled = { content: "Hello", platforms: ["twitter"], schedule_at: at }
      const asked: Array<string> = []
      for (let count = 0; count < 3; count++) asked.push((yield* call("POST", "/posts", scheduled, agent.key)).body.id)
      yield* call("POST", "/posts", scheduled)
      const ofAgent = ({ data }: { readonly data: ReadonlyArray<Listed> }) =>
        data.map(({ event }) => [event.type, event.data["post_id"]])
      const expected = asked.toReversed().map((id) => ["post.approval_requested", id])
      const first = yield* read(`/events?by_key=${agent.id}&limit=2`)
      assert.deepStrictEqual(ofAgent(first.body), expected.slice(0, 2))
      const second = yield* read(`/events?by_key=${agent.id}&limit=2&cursor=${first.body.next_cursor}`)
      assert.deepStrictEqual([ofAgent(second.body), second.body.next_cursor], [expected.slice(2), null])
      const combined = yield* read(`/events?by_key=${agent.id}&post_id=${asked[1]}&type=post.approval_requested`)
      assert.deepStrictEqual(ofAgent(combined.body), [["post.approval_requested", asked[1]]])
      const stranger = yield* makeTeam
      const foreign = yield* call("GET", `/events?by_key=${agent.id}`, undefined, stranger.key)
      const unknown = yield* read("/events?by_key=01a1fc17-dc2e-777d-ad63-5a461a1bba44")
      for (const { body, status } of [foreign, unknown]) {
        assert.deepStrictEqual([status, body], [200, { data: [], next_cursor: null }])
      }
    })
  )

  it.effect("A member of any role reads what a key did, and a key without the scope does not", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const { id } = yield* makeKey(team.workspaceId)
      const viewer = yield* makeMember(team.workspaceId, "viewer")
      const cookie = yield* makeSession(viewer.id, team.workspaceId)
      const path = `/events?by_key=${id}`
      const seen = yield* sendJson(`${yield* ServerUrl}/v1${path}`, "GET", sessionHeaders(cookie))
      assert.deepStrictEqual([seen.status, seen.body.data], [200, []])
      const { key } = yield* makeKey(team.workspaceId, { scopes: ["notifications:read"] })
      assert.strictEqual((yield* call("GET", path, undefined, key)).body.code, "insufficient_scope")
    })
  )

  it.effect("Other workspaces' events and histories are not there, and wrong parameters are refused", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const [post] = yield* recordEvents(team.workspaceId, 1)
      const stranger = yield* makeTeam
      const asStranger = (path: string) => call("GET", path, undefined, stranger.key)
      assert.notInclude((yield* asStranger("/events")).text, String(post))
      assert.strictEqual((yield* asStranger(`/posts/${post}/history`)).body.code, "not_found")
      for (const query of [
        "after=-1",
        "after=x",
        "limit=0",
        "limit=201",
        "type=nothing",
        "post_id=1",
        "by_key=1",
        "cursor=x",
        "page=1"
      ]) {
        const { body, status } = yield* call("GET", `/events?${query}`)
        assert.deepStrictEqual([status, body.code], [400, "invalid_request"], query)
      }
    })
  )
})
