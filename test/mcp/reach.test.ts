import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { tools } from "../../src/mcp/tools.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { errorPaths } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeTeam } from "../support/http/team.ts"
import { agents, agentServerLayer, callTool } from "./agent.ts"
import { lineOf, watchInnerRequests } from "./innerRequests.ts"

const inner = watchInnerRequests()

/** All that tools may send. Nothing here decides on a post, connects an account, or manages keys, members or webhooks. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_workspace: ["GET /v1/me", "GET /v1/integrations"],
  list_posts: ["GET /v1/posts"],
  get_post: ["GET /v1/posts/:id", "GET /v1/posts/:id/history"],
  check_post: ["POST /v1/posts/validate"],
  split_text: ["POST /v1/posts/split"],
  create_post: ["POST /v1/posts", "GET /v1/me"],
  update_post: ["PATCH /v1/posts/:id", "GET /v1/me", "GET /v1/posts/:id"],
  delete_post: ["DELETE /v1/posts/:id"],
  publish_post: ["POST /v1/posts/:id/publish", "GET /v1/me", "GET /v1/posts/:id"],
  add_media: ["POST /v1/media/from-url", "GET /v1/media/:id"],
  list_notifications: ["GET /v1/notifications"],
  get_queue: ["GET /v1/queue", "GET /v1/queue/next"],
  check_upcoming: ["GET /v1/outlook"]
}

const text = { content: "Hello", platforms: ["bluesky"] }
const time = "1970-01-02T00:00:00Z"

/** A draft of a team, and calls with the team's key. */
const start = Effect.gen(function* () {
  const { posts } = yield* Repo
  const url = yield* ServerUrl
  const { key, workspaceId } = yield* makeTeam
  const draft = Effect.map(posts.create(workspaceId, plan(null, ["bluesky"])), ({ id }) => ({ id, etag: "1-draft" }))
  return { draft, call: (name: string, args: object = {}) => callTool(url, key, name, args) }
})

layer(agentServerLayer({ others: Layer.merge(agents, inner.layer) }))("what tools reach", (it) => {
  it.effect("Tools send requests to these addresses of the API, and to no others", () =>
    Effect.gen(function* () {
      const { call, draft } = yield* start
      const seen = yield* draft
      const due = yield* draft
      const calls: Readonly<Record<string, ReadonlyArray<object>>> = {
        get_workspace: [{}],
        list_posts: [
          { status: "draft", platform: "bluesky", tag: "a", text: "bc", sort: "scheduled_at", from: time, limit: 3 }
        ],
        get_post: [{ id: seen.id }],
        check_post: [text, { ...text, schedule_at: time }],
        split_text: [text],
        create_post: [text, { ...text, schedule_at: time }, { ...text, schedule_at: time }],
        update_post: [
          { ...seen, status: "scheduled", scheduled_at: time },
          { ...seen, status: "scheduled", scheduled_at: time }
        ],
        delete_post: [yield* draft],
        publish_post: [due, due],
        add_media: [{ url: "https://images.example/a.png", alt: "A picture", wait: false }],
        list_notifications: [{ unread: true, level: "attention", limit: 3, page: 0 }],
        get_queue: [{}],
        check_upcoming: [{ hours: 72, limit: 5 }]
      }
      assert.deepStrictEqual(
        Object.keys(allowed),
        tools.map(({ name }) => name)
      )
      for (const [name, lines] of Object.entries(allowed)) {
        const { requests, result } = yield* inner.during(Effect.forEach(calls[name] ?? [], (args) => call(name, args)))
        for (const { data, isError } of result) assert.isFalse(isError, `${name}: ${JSON.stringify(data)}`)
        assert.sameMembers(
          [...new Set(requests.map(lineOf))],
          name === "add_media" ? lines.slice(0, 1) : [...lines],
          name
        )
      }
    })
  )

  it.effect.each([
    "/approve",
    "/../../keys",
    "/../../v1/posts",
    "?status=scheduled",
    "#a",
    "%2fapprove",
    "%2e%2e%2fkeys",
    "\\approve",
    ";a=b",
    "\n",
    "\u0000",
    " "
  ])("An id that ends in %j is refused before anything is sent to the API", (suffix) =>
    Effect.gen(function* () {
      const { call, draft } = yield* start
      const { etag, id } = yield* draft
      for (const [name, args] of [
        ["get_post", {}],
        ["update_post", { etag, content: "Changed" }],
        ["delete_post", { etag }],
        ["publish_post", { etag }]
      ] as const) {
        const { requests, result } = yield* inner.during(call(name, { ...args, id: `${id}${suffix}` }))
        assert.deepStrictEqual([result.isError, errorPaths(result.data)], [true, [["id"]]])
        assert.deepStrictEqual(requests, [])
      }
      const { requests, result } = yield* inner.during(call("delete_post", { id, etag: `${etag}${suffix}` }))
      assert.deepStrictEqual([result.isError, errorPaths(result.data)], [true, [["etag"]]])
      assert.deepStrictEqual(requests, [])
    })
  )

  it.effect.each(["a&status=published", "a#b", "a?b=c", "../../keys", "%26limit=1", "a+b c", "ä\nb", "__proto__[x]=1"])(
    "The text %j to look for stays the value of its parameter",
    (value) =>
      Effect.gen(function* () {
        const { call } = yield* start
        for (const name of ["tag", "text"]) {
          const { requests, result } = yield* inner.during(call("list_posts", { [name]: value, limit: 3 }))
          assert.isFalse(result.isError)
          assert.deepStrictEqual(requests.map(lineOf), ["GET /v1/posts"])
          assert.deepStrictEqual(Object.fromEntries(requests[0]?.url.searchParams ?? []), { [name]: value, limit: "3" })
        }
      })
  )

  it.effect("A text that looks like an address changes none that its tool calls", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const content = "https://evil.example/v1/keys?a=b#c /../approve"
      const { requests } = yield* inner.during(call("create_post", { ...text, content, tags: ["/../keys"] }))
      assert.deepStrictEqual(
        requests.map(({ method, url }) => [method, url.pathname, url.search]),
        [["POST", "/v1/posts", ""]]
      )
    })
  )
})
