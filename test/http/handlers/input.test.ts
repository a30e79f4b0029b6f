import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, send } from "../../support/http/client.ts"
import { apiKey, startServer, repoWithKey } from "../../support/http/server.ts"
import { postId } from "../../support/http/samplePosts.ts"

const good = { content: "Hello", platforms: ["twitter"] }
const members = "content, platforms, schedule_at, tags, platform_overrides, platform_settings, group_id, status"

const wrongBodies: ReadonlyArray<{
  readonly what: string
  readonly body: unknown
  readonly errors: ReadonlyArray<{ readonly path: ReadonlyArray<string | number>; readonly message: RegExp }>
}> = [
  {
    what: "required members are missing",
    body: {},
    errors: [
      { path: ["content"], message: /required/ },
      { path: ["platforms"], message: /required/ }
    ]
  },
  {
    what: "scheduled_at, which is called schedule_at here",
    body: { ...good, scheduled_at: "1970-01-02T00:00:00Z" },
    errors: [{ path: ["scheduled_at"], message: new RegExp(`^Unknown member; there are ${members}$`) }]
  },
  {
    what: "a blank content",
    body: { ...good, content: " \n\t" },
    errors: [{ path: ["content"], message: /not blank/ }]
  },
  {
    what: "a content that is no text",
    body: { ...good, content: 1 },
    errors: [{ path: ["content"], message: /string/ }]
  },
  { what: "no platforms", body: { ...good, platforms: [] }, errors: [{ path: ["platforms"], message: /at least 1/ }] },
  {
    what: "a repeated platform",
    body: { ...good, platforms: ["twitter", "twitter"] },
    errors: [{ path: ["platforms"], message: /unique/ }]
  },
  {
    what: "an unknown platform",
    body: { ...good, platforms: ["bluesky", "myspace"] },
    errors: [{ path: ["platforms", 1], message: /"twitter"/ }]
  },
  {
    what: "an unknown platform in overrides and in settings",
    body: { ...good, platform_overrides: { myspace: "a" }, platform_settings: { orkut: {} } },
    errors: [
      { path: ["platform_overrides", "myspace"], message: /Unknown member; there are twitter, bluesky/ },
      { path: ["platform_settings", "orkut"], message: /Unknown member/ }
    ]
  },
  {
    what: "a listed setting with a value that it does not have",
    body: { ...good, platform_settings: { twitter: { who_can_reply: "nobody" }, tiktok: { allow_duet: "yes" } } },
    errors: [
      { path: ["platform_settings", "twitter", "who_can_reply"], message: /"everyone"/ },
      { path: ["platform_settings", "tiktok", "allow_duet"], message: /boolean/ }
    ]
  },
  {
    what: "a time without a zone",
    body: { ...good, schedule_at: "1970-01-02T00:00:00" },
    errors: [{ path: ["schedule_at"], message: /zone/ }]
  },
  {
    what: "30 February",
    body: { ...good, schedule_at: "1972-02-30T00:00:00Z" },
    errors: [{ path: ["schedule_at"], message: /ISO 8601/ }]
  },
  {
    what: "a time as a number",
    body: { ...good, schedule_at: 86400 },
    errors: [{ path: ["schedule_at"], message: /string/ }]
  },
  {
    what: "a time 181 days ahead",
    body: { ...good, schedule_at: "1970-07-01T00:00:00Z" },
    errors: [{ path: ["schedule_at"], message: /180 days/ }]
  },
  {
    what: "a time 6 minutes past",
    body: { ...good, schedule_at: "1969-12-31T23:54:00Z" },
    errors: [{ path: ["schedule_at"], message: /5 minutes/ }]
  },
  {
    what: "a status that can't be ordered",
    body: { ...good, status: "published" },
    errors: [{ path: ["status"], message: /"draft" \| "scheduled"/ }]
  },
  {
    what: "scheduled without a time",
    body: { ...good, status: "scheduled" },
    errors: [{ path: ["schedule_at"], message: /time/ }]
  },
  {
    what: "a group id that is no UUID",
    body: { ...good, group_id: "launch" },
    errors: [{ path: ["group_id"], message: /UUID/ }]
  },
  { what: "a NUL character", body: { ...good, content: "a\0b" }, errors: [{ path: ["content"], message: /NUL/ }] },
  {
    what: "half a surrogate pair",
    body: { ...good, tags: ["fine", "\ud83d"] },
    errors: [{ path: ["tags", 1], message: /surrogate/ }]
  },
  {
    what: "many things at once, each of them listed",
    body: {
      content: "a\0",
      platforms: ["x"],
      schedule_at: "1970-07-01T00:00:00Z",
      tags: "a",
      platform_overrides: { twitter: 1 },
      group_id: 1,
      status: "x",
      extra: 1
    },
    errors: [
      { path: ["extra"], message: /Unknown member/ },
      { path: ["content"], message: /NUL/ },
      { path: ["platforms", 0], message: /"twitter"/ },
      { path: ["schedule_at"], message: /180 days/ },
      { path: ["tags"], message: /array/ },
      { path: ["platform_overrides", "twitter"], message: /string/ },
      { path: ["group_id"], message: /./ },
      { path: ["status"], message: /./ }
    ]
  }
]

describe("a body that creates a post", () => {
  it.effect.each(wrongBodies)("is a 400 that says what is wrong and where: $what", ({ body, errors }) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const answer = yield* call(`${url}/v1/posts`, "POST", body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.body.code, "invalid_request")
      assert.deepStrictEqual(
        answer.body.errors.map((error: { path: unknown }) => error.path),
        errors.map((error) => error.path)
      )
      errors.forEach(({ message }, index) => assert.match(answer.body.errors[index].message, message))
    })
  )

  it.effect("may have settings that a platform does not list, and they are ignored", () =>
    Effect.gen(function* () {
      const stored: Array<unknown> = []
      const url = yield* startServer({
        repo: repoWithKey({
          posts: {
            create: (_workspace, plan) =>
              Effect.sync(() => {
                stored.push(plan.settings)
                return { id: postId, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
              })
          }
        })
      })
      const platform_settings = { twitter: { who_can_reply: "following", mood: "good" }, bluesky: { mood: "good" } }
      const { status } = yield* call(`${url}/v1/posts`, "POST", { ...good, platform_settings })
      assert.strictEqual(status, 201)
      assert.nestedPropertyVal(stored[0], "twitter.who_can_reply", "following")
    })
  )
})

describe("a body that changes a post", () => {
  it.effect("is a 400 that lists every wrong field, and names the members there are where it has another one", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", {
        schedule_at: null,
        content: "",
        scheduled_at: "1969-12-31T23:54:00Z"
      })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(body.errors, [
        { path: ["schedule_at"], message: "Unknown member; there are content, scheduled_at, tags, status" },
        { path: ["content"], message: "Expected a text that is not blank" },
        { path: ["scheduled_at"], message: "Expected a time that is not past by more than 5 minutes" }
      ])
    })
  )
})

describe("a body", () => {
  const authorized = { authorization: `Bearer ${apiKey}` }
  const json = { ...authorized, "content-type": "application/json" }
  const nested = (levels: number) => `{"tags":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

  it.effect.each([
    { what: "empty", headers: json, body: "", status: 400, detail: /empty/ },
    {
      what: "cut off",
      headers: json,
      body: '{"content":"a"',
      status: 400,
      detail: /not well-formed JSON.*position 14/
    },
    { what: "an array", headers: json, body: "[]", status: 400, detail: /JSON object/ },
    { what: "null", headers: json, body: "null", status: 400, detail: /JSON object/ },
    {
      what: "not UTF-8",
      headers: json,
      body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
      status: 400,
      detail: /UTF-8/
    },
    { what: "nested 33 deep", headers: json, body: nested(33), status: 400, detail: /deeper than 32/ },
    { what: "nested 400,000 deep", headers: json, body: nested(400_000), status: 400, detail: /deeper than 32/ },
    {
      what: "over 1 MiB",
      headers: json,
      body: JSON.stringify({ content: "a".repeat(1_048_576) }),
      status: 413,
      detail: /1 MiB/
    },
    {
      what: "text",
      headers: { ...authorized, "content-type": "text/plain" },
      body: "{}",
      status: 415,
      detail: /application\/json/
    },
    {
      what: "a form",
      headers: { ...authorized, "content-type": "application/x-www-form-urlencoded" },
      body: "a=b",
      status: 415,
      detail: /application\/json/
    },
    {
      what: "compressed",
      headers: { ...json, "content-encoding": "gzip" },
      body: "{}",
      status: 415,
      detail: /Content-Encoding/
    }
  ])("that is $what is a $status, wherever it is sent", ({ headers, body, status, detail }) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (const [method, path] of [
        ["POST", "/v1/posts"],
        ["POST", "/v1/posts/validate"],
        ["PATCH", `/v1/posts/${postId}`]
      ]) {
        const answer = yield* send(`${url}${path}`, { method: method ?? "", headers, body })
        assert.strictEqual(answer.status, status, path)
        assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
        assert.match(answer.body.detail, detail)
        assert.strictEqual(answer.body.request_id, answer.headers.get("x-request-id"))
      }
    })
  )

  it.effect("nested 32 deep is read", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { body } = yield* call(`${url}/v1/posts`, "POST", nested(32))
      assert.deepInclude(body.errors, { path: ["content"], message: "This member is required" })
    })
  )

  it.effect("is read as JSON with a charset, and without any type", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ integrations: { list: () => Effect.succeed([]) } }) })
      const body = new TextEncoder().encode(JSON.stringify(good))
      for (const headers of [authorized, { ...authorized, "content-type": "Application/JSON; charset=utf-8" }]) {
        const { status } = yield* send(`${url}/v1/posts/validate`, { method: "POST", headers, body })
        assert.strictEqual(status, 200)
      }
    })
  )

  it.effect("is not looked at where none is expected", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ posts: { remove: () => Effect.void } }) })
      const { status } = yield* send(`${url}/v1/posts/${postId}`, {
        method: "DELETE",
        headers: { ...authorized, "content-type": "text/plain" },
        body: "noise"
      })
      assert.strictEqual(status, 200)
    })
  )
})

describe("a parameter", () => {
  const notPlain = ["", "0x10", "%205", "1e2", "-1", "+1", "01", "1.0", "ten", "%EF%BC%91", "99999999999999999999"]

  it.effect.each([
    { path: "/v1/posts?limit=", values: [...notPlain, "0", "1001"], name: "limit" },
    { path: "/v1/notifications?limit=", values: [...notPlain, "0", "101"], name: "limit" },
    { path: "/v1/notifications?page=", values: [...notPlain, "1000001"], name: "page" },
    { path: "/v1/posts?status=", values: ["", "cancelled", "Draft", "%00"], name: "status" },
    {
      path: "/v1/posts?cursor=",
      values: ["", "abc", "!", postId, btoa("{}"), btoa(JSON.stringify({ v: 2, before: postId }))],
      name: "cursor"
    },
    { path: "/v1/posts/", values: ["abc", "1", "%00", "a".repeat(5000), `${postId}0`], name: "id" },
    { path: "/v1/posts/group/", values: ["abc"], name: "group_id" }
  ])("is a 400 under its own name where it does not fit: $path", ({ path, values, name }) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (const value of values) {
        const { status, body } = yield* call(`${url}${path}${value}`)
        assert.strictEqual(status, 400, value)
        assert.strictEqual(body.code, "invalid_request")
        assert.deepStrictEqual(
          body.errors.map((error: { path: unknown }) => error.path),
          [[name]]
        )
      }
    })
  )

  it.effect("is a 400 where it is given twice", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status } = yield* call(`${url}/v1/posts?limit=1&limit=2`)
      assert.strictEqual(status, 400)
    })
  )

  it.effect("is listed beside every other one that is wrong", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { body } = yield* call(`${url}/v1/posts?limit=0&status=x&cursor=y`)
      assert.sameDeepMembers(
        body.errors.map((error: { path: unknown }) => error.path),
        [["limit"], ["status"], ["cursor"]]
      )
    })
  )
})
