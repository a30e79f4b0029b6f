import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { agentServerLayer, callTool } from "../../mcp/agent.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { makeKey, makeTeam } from "../../support/http/team.ts"

const later = "1970-01-20T00:00:00.000Z"
const groupId = "01a1fc17-dc2e-777d-ad63-5a461a1bba47"
const draft = { content: "Hello", platforms: ["twitter"], group_id: groupId }

/** A post with data spoiled by hand, an intact post, and functions that call the API as their team and its agent. */
const start = Effect.fn("start")(function* (assignment: string, extra: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const { key, workspaceId } = yield* makeTeam
  const agent = yield* makeKey(workspaceId, { requiresApproval: true })
  const sendWith = (by: string) => (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1${path}`, method, keyHeaders(by), body)
  const asTeam = sendWith(key)
  const create = Effect.fnUntraced(function* (by: string, more: object) {
    const { body } = yield* sendWith(by)("POST", "/posts", { ...draft, schedule_at: later, ...extra, ...more })
    const id: string = body.id
    return id
  })
  const [table, column] = assignment.startsWith("parts") ? ["post_targets", "post_id"] : ["posts", "id"]
  const makeSpoiled = Effect.fnUntraced(function* (by = key, more: object = {}) {
    const id = yield* create(by, more)
    yield* sql`UPDATE ${sql(table)} SET ${sql.literal(assignment)} WHERE ${sql(column)} = ${id}::uuid`
    return id
  })
  const other = yield* create(key, {})
  const tool = (name: string, args: object) => callTool(url, key, name, args)
  /** Calls a tool on a post with its current etag. */
  const toolOn = Effect.fnUntraced(function* (name: string, id: string, args: object = {}) {
    const { data } = yield* tool("get_post", { id })
    return yield* tool(name, { id, etag: data.etag, ...args })
  })
  return { agent, asTeam, makeSpoiled, other, tool, toolOn }
})

const spoiled = [
  `media = '[{"id":1}]'`,
  `media = '5'`,
  `thread = '[{"content":1}]'`,
  `thread = '{}'`,
  `card = '{"url":5}'`,
  `card = '5'`,
  `platform_overrides = '{"twitter":5}'`,
  `platform_overrides = '[]'`,
  `platform_settings = '{"twitter":5}'`
]

/** Spoiled columns that no reader and no change needs. */
const readable = [`tags = '{NULL}'`, `parts = '5'`]

layer(Layer.merge(agentServerLayer(), Logger.layer([])))("a post of which somebody has spoiled a part", (it) => {
  it.effect.each([...spoiled, ...readable])(
    "Where somebody wrote %s, all that reads posts has it and the others",
    (assignment) =>
      Effect.gen(function* () {
        const extra = assignment.startsWith("parts") ? { thread: [{ content: "More" }] } : {}
        const { asTeam, makeSpoiled, other, tool } = yield* start(assignment, extra)
        const id = yield* makeSpoiled()
        const one = yield* asTeam("GET", `/posts/${id}`)
        assert.strictEqual(one.status, 200, one.text)
        assert.strictEqual(one.body.data.content, "Hello")
        for (const path of [
          "/posts",
          "/posts?status=scheduled",
          "/posts?sort=scheduled_at&order=asc",
          "/posts?search=hello",
          `/posts?scheduled_from=1970-01-01T00:00:00Z`,
          "/posts?platform=twitter",
          `/posts/group/${groupId}`
        ]) {
          const list = yield* asTeam("GET", path)
          assert.strictEqual(list.status, 200, `${path}: ${list.text}`)
          assert.sameMembers(
            list.body.data.map((post: { id: string }) => post.id),
            [id, other],
            path
          )
          const listed = list.body.data.find((post: { id: string }) => post.id === id)
          assert.deepStrictEqual(listed, one.body.data, path)
        }
        assert.isTrue(one.body.data.tags.every((tag: unknown) => typeof tag === "string"))
        const history = yield* asTeam("GET", `/posts/${id}/history`)
        assert.strictEqual(history.status, 200, history.text)
        const shown = yield* tool("get_post", { id })
        assert.isFalse(shown.isError, JSON.stringify(shown.data))
        const listed = yield* tool("list_posts", {})
        assert.isFalse(listed.isError, JSON.stringify(listed.data))
        assert.include(JSON.stringify(listed.data), id)
      })
  )

  it.effect.each(spoiled)("Where somebody wrote %s, what needs that part says so", (assignment) =>
    Effect.gen(function* () {
      const { agent, asTeam, makeSpoiled, toolOn } = yield* start(assignment)
      const id = yield* makeSpoiled()
      const requested = yield* makeSpoiled(agent.key)
      const queue = yield* asTeam("GET", "/posts?approval=requested")
      assert.deepStrictEqual(
        queue.body.data.map((post: { id: string }) => post.id),
        [requested],
        queue.text
      )
      for (const [method, path, body] of [
        ["PATCH", `/posts/${id}`, { content: "Changed" }],
        ["PATCH", `/posts/${id}`, { status: "draft" }],
        ["PATCH", `/posts/${id}`, { platforms: ["bluesky"] }],
        ["POST", `/posts/${id}/publish`],
        ["POST", `/posts/${id}/copy`, {}],
        ["POST", `/posts/${requested}/publish`],
        ["POST", `/posts/${requested}/approve`, { revision: 1 }],
        ["POST", `/posts/${requested}/reject`, { revision: 1, reason: "Not now" }]
      ] as const) {
        const refused = yield* asTeam(method, path, body)
        const what = `${method} ${path}: ${refused.text}`
        assert.deepStrictEqual([refused.status, refused.body.code], [400, "post_unreadable"], what)
        assert.match(refused.body.detail, /This version of the service can't read/, what)
      }
      for (const [name, args] of [
        ["publish_post", {}],
        ["update_post", { content: "Changed" }]
      ] as const) {
        const refused = yield* toolOn(name, id, args)
        assert.strictEqual(refused.data.code, "post_unreadable", `${name}: ${JSON.stringify(refused.data)}`)
      }
    })
  )

  it.effect.each([...spoiled, ...readable])("Where somebody wrote %s, the post can be deleted", (assignment) =>
    Effect.gen(function* () {
      const extra = assignment.startsWith("parts") ? { thread: [{ content: "More" }] } : {}
      const { agent, asTeam, makeSpoiled, toolOn } = yield* start(assignment, extra)
      const [first, second] = [yield* makeSpoiled(), yield* makeSpoiled(agent.key)]
      yield* makeSpoiled()
      const removed = yield* asTeam("DELETE", `/posts/${first}`)
      assert.strictEqual(removed.status, 200, removed.text)
      const byAgent = yield* toolOn("delete_post", second)
      assert.isFalse(byAgent.isError, JSON.stringify(byAgent.data))
      const group = yield* asTeam("DELETE", `/posts/group/${groupId}`)
      assert.deepInclude(group.body.data, { deleted: 2 }, group.text)
    })
  )
})
