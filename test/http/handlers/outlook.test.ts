import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { errorPaths, keyHeaders, makeSendAs, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const start = Effect.gen(function* () {
  yield* TestClock.setTime(0)
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const send = makeSendAs(`${url}/v1`)(keyHeaders(team.key))
  const add = Effect.fnUntraced(function* (within: Duration.Input, extra: object = {}) {
    const at = DateTime.formatIso(DateTime.addDuration(yield* DateTime.now, within))
    const { body, status } = yield* send("POST", "/posts", {
      content: "Hello",
      platforms: ["twitter"],
      schedule_at: at,
      ...extra
    })
    assert.strictEqual(status, 201, JSON.stringify(body))
    return String(body.id)
  })
  const outlook = (query = "") => Effect.map(send("GET", `/outlook${query}`), ({ body }) => body.data)
  return { ...team, url, send, add, outlook }
})

const codesOf = (post: { readonly findings: ReadonlyArray<{ readonly code: string }> }) =>
  post.findings.map(({ code }) => code)

layer(databaseServerLayer())("the outlook", (it) => {
  it.effect("A workspace without posts has an empty outlook of 36 hours", () =>
    Effect.gen(function* () {
      const { outlook } = yield* start
      assert.deepStrictEqual(yield* outlook(), {
        from: "1970-01-01T00:00:00.000Z",
        until: "1970-01-02T12:00:00.000Z",
        checked_at: "1970-01-01T00:00:00.000Z",
        publishing_held: false,
        counts: { posts: 0, fine: 0, need_you: 0, unchecked: 0 },
        cost_estimate: null,
        posts: [],
        left_out: 0,
        note: null
      })
    })
  )

  it.effect("Posts in the window are listed, first those that need somebody, each with the step that helps", () =>
    Effect.gen(function* () {
      const { add, outlook } = yield* start
      const fine = yield* add("1 hour")
      const draft = yield* add("2 hours", { status: "draft" })
      yield* add("13 hours", { content: "Later" })
      const { counts, posts } = yield* outlook("?hours=12")
      assert.deepStrictEqual(counts, { posts: 2, fine: 1, need_you: 1, unchecked: 0 })
      assert.deepStrictEqual(
        posts.map(({ id, state }: { readonly id: string; readonly state: string }) => [id, state]),
        [
          [draft, "needs_you"],
          [fine, "fine"]
        ]
      )
      assert.deepStrictEqual(posts[0].findings, [
        {
          code: "draft_unscheduled",
          level: "needs_you",
          message: "Nobody has scheduled it, so it will not go out",
          help: "Schedule it, or remove its time",
          platform: null,
          integration_id: null
        }
      ])
      assert.deepStrictEqual(posts[1].findings, [])
    })
  )

  it.effect("An account that has to be connected again, or was disconnected, is named for each of its posts", () =>
    Effect.gen(function* () {
      const { add, outlook, workspaceId } = yield* start
      const sql = yield* SqlClient.SqlClient
      yield* add("1 hour", { platforms: ["twitter", "bluesky"] })
      yield* sql`UPDATE integrations SET status = 'needs_reconnect' WHERE workspace_id = ${workspaceId}::uuid AND platform = 'twitter'`
      yield* sql`UPDATE integrations SET status = 'disconnected', credentials = NULL
        WHERE workspace_id = ${workspaceId}::uuid AND platform = 'bluesky'`
      const { posts } = yield* outlook()
      assert.deepStrictEqual(codesOf(posts[0]), ["account_lost", "account_missing"])
      assert.include(posts[0].findings[0].message, "X no longer accepts the account @team_twitter")
    })
  )

  it.effect("A post that today's rules refuse needs somebody", () =>
    Effect.gen(function* () {
      const { add, outlook } = yield* start
      const sql = yield* SqlClient.SqlClient
      const id = yield* add("1 hour")
      yield* sql`UPDATE posts SET content = ${"long ".repeat(100)} WHERE id = ${id}::uuid`
      const { posts } = yield* outlook()
      assert.deepStrictEqual(codesOf(posts[0]), ["text_refused"])
      assert.strictEqual(posts[0].findings[0].platform, "twitter")
    })
  )

  it.effect("A list that is cut says so, and keeps what needs somebody", () =>
    Effect.gen(function* () {
      const { add, outlook } = yield* start
      yield* add("1 hour")
      const draft = yield* add("2 hours", { status: "draft" })
      const { left_out, note, posts } = yield* outlook("?limit=1")
      assert.deepStrictEqual([posts.length, posts[0].id, left_out], [1, draft, 1])
      assert.include(note, "1 of 2 posts are not listed")
    })
  )

  it.effect("It needs posts:read, and a window of 1 to 72 hours", () =>
    Effect.gen(function* () {
      const { send, url, workspaceId } = yield* start
      for (const query of ["?hours=0", "?hours=73", "?hours=1.5", "?limit=501"]) {
        const { body, status } = yield* send("GET", `/outlook${query}`)
        assert.deepStrictEqual([status, errorPaths(body)], [400, [[query.slice(1).split("=")[0]]]])
      }
      const { key } = yield* makeKey(workspaceId, { scopes: ["media:write"] })
      assert.strictEqual((yield* sendJson(`${url}/v1/outlook`, "GET", keyHeaders(key))).status, 403)
    })
  )
})

layer(databaseServerLayer())("the settings of the daily check", (it) => {
  it.effect("Posts are checked at 17:00 in the queue's zone, until an admin chooses another hour, or none", () =>
    Effect.gen(function* () {
      const { cookie, send, url, workspaceId } = yield* start
      const asAdmin = (method: string, body?: unknown) =>
        sendJson(`${url}/v1/outlook/settings`, method, sessionHeaders(cookie), body)
      const first = yield* asAdmin("GET")
      assert.deepStrictEqual(first.body.data, {
        hour: 17,
        always_notify: false,
        time_zone: "UTC",
        next_at: "1970-01-01T17:00:00.000Z"
      })
      yield* send("PUT", "/queue", { time_zone: "Asia/Tokyo", entries: [] })
      const later = yield* asAdmin("PATCH", { hour: 19, always_notify: true })
      assert.deepStrictEqual(later.body.data, {
        hour: 19,
        always_notify: true,
        time_zone: "Asia/Tokyo",
        next_at: "1970-01-01T10:00:00.000Z"
      })
      assert.deepStrictEqual((yield* asAdmin("GET")).body, later.body)
      const off = yield* asAdmin("PATCH", { hour: null })
      assert.deepInclude(off.body.data, { hour: null, next_at: null, always_notify: true })
      assert.deepInclude((yield* asAdmin("PATCH", { hour: 0 })).body.data, { hour: 0 })
      const editor = yield* makeMember(workspaceId, "editor")
      const asEditor = sessionHeaders(yield* makeSession(editor.id, workspaceId))
      assert.strictEqual((yield* sendJson(`${url}/v1/outlook/settings`, "GET", asEditor)).status, 200)
      assert.strictEqual((yield* sendJson(`${url}/v1/outlook/settings`, "PATCH", asEditor, { hour: 1 })).status, 403)
      assert.strictEqual((yield* send("GET", "/outlook/settings")).status, 403)
      const wrong = yield* asAdmin("PATCH", { hour: 24, always_notify: "yes", color: "red" })
      assert.strictEqual(wrong.status, 400)
      assert.sameDeepMembers(errorPaths(wrong.body), [["hour"], ["always_notify"], ["color"]])
    })
  )
})
