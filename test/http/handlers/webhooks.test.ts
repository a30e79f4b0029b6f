import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { maxWebhooks } from "../../../src/domain/plain/limits.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease, recordEvents, someSlots } from "../../support/database/webhookFixtures.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const url = "https://hooks.example/a?token=b"
const shown = "https://hooks.example/…"

/** A team, and calls with its key. */
const start = Effect.gen(function* () {
  const server = yield* ServerUrl
  const team = yield* makeTeam
  const other = yield* makeTeam
  const callWith = (key: string) => (method: string, path: string, body?: unknown) =>
    sendJson(`${server}/v1${path}`, method, keyHeaders(key), body)
  return { team, call: callWith(team.key), callWith, asStranger: callWith(other.key) }
})

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }))("webhooks", (it) => {
  it.effect("A webhook is created with a secret that is shown once, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const created = yield* call("POST", "/webhooks", { url, events: ["post.failed"], description: null })
      assert.strictEqual(created.status, 201)
      assert.deepInclude(created.body.data.created_by, { type: "key", name: "A key" })
      const byPerson = yield* sendJson(`${yield* ServerUrl}/v1/webhooks`, "POST", sessionHeaders(team.cookie), { url })
      assert.deepStrictEqual(byPerson.body.data.created_by, { type: "user", id: team.user.id, name: team.user.email })
      yield* call("DELETE", `/webhooks/${byPerson.body.data.id}`)
      const { id } = created.body.data
      assert.match(created.body.secret, /^whsec_[\w+/]{43}=$/)
      assert.strictEqual(created.headers.get("location"), `https://posts.example/v1/webhooks/${id}`)
      assert.deepInclude(created.body.data, { url: shown, description: null, events: ["post.failed"], enabled: true })
      const read = yield* call("GET", `/webhooks/${id}`)
      assert.deepStrictEqual(read.body, { data: created.body.data })
      assert.deepStrictEqual((yield* call("GET", "/webhooks")).body, { data: [created.body.data] })
      const changed = yield* call("PATCH", `/webhooks/${id}`, { enabled: false, events: null, description: "News" })
      assert.deepInclude(changed.body.data, {
        enabled: false,
        disabled_reason: "manual",
        events: null,
        description: "News",
        url: shown
      })
      const rotated = yield* call("POST", `/webhooks/${id}/rotate-secret`, { overlap: 60 })
      assert.strictEqual(rotated.status, 200)
      assert.notStrictEqual(rotated.body.secret, created.body.secret)
      assert.deepStrictEqual((yield* call("DELETE", `/webhooks/${id}`)).body, { data: { id, deleted: true } })
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/test"],
        ["GET", "/deliveries"]
      ] as const)
        assert.strictEqual((yield* call(method, `/webhooks/${id}${path}`)).body.code, "not_found", path)
    })
  )

  it.effect("Secrets are stored encrypted, and signed with both during an overlap", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { events, webhooks } = yield* Repo
      const { body } = yield* call("POST", "/webhooks", { url })
      yield* call("POST", `/webhooks/${body.data.id}/rotate-secret`, {})
      const [stored] = yield* sql<{ readonly text: string }>`
        SELECT encode(secret || former_secret, 'escape') AS text FROM webhooks WHERE id = ${body.data.id}::uuid`
      assert.notInclude(stored?.text, "whsec_")
      yield* recordEvents(team.workspaceId, 1)
      yield* events.dispatch(10)
      const claims = yield* webhooks.claim(someSlots, lease)
      const claim = claims.find(({ webhookId }) => webhookId === body.data.id)
      assert.isDefined(claim)
      if (claim !== undefined) assert.lengthOf((yield* webhooks.open(claim)).secrets, 2)
    })
  )

  it.effect("A URL is stored encrypted and shown masked by every response", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const sql = yield* SqlClient.SqlClient
      const secret = "https://hooks.example/services/T0/B0/a-secret-path"
      const { body } = yield* call("POST", "/webhooks", { url: secret })
      const path = `/webhooks/${body.data.id}`
      const [stored] = yield* sql<{ readonly sealed: string }>`
        SELECT encode(sealed_url, 'escape') AS sealed FROM webhooks WHERE id = ${body.data.id}::uuid`
      assert.isString(stored?.sealed)
      assert.notInclude(stored?.sealed, "secret")
      const responses = [
        body,
        (yield* call("GET", path)).body,
        (yield* call("PATCH", path, { description: "News" })).body,
        (yield* call("POST", `${path}/rotate-secret`, {})).body
      ]
      for (const { data } of responses) assert.strictEqual(data.url, "https://hooks.example/…path")
      assert.strictEqual((yield* call("GET", "/webhooks")).body.data[0].url, "https://hooks.example/…path")
      yield* call("DELETE", path)
      const [left] = yield* sql`SELECT url, sealed_url, masked_url FROM webhooks WHERE id = ${body.data.id}::uuid`
      assert.deepStrictEqual(left, { url: "", sealed_url: null, masked_url: null })
    })
  )

  it.effect("A change with the masked URL leaves the URL, and a masked one of another URL is refused", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { body } = yield* call("POST", "/webhooks", { url })
      const { id } = body.data
      const stored = sql`SELECT url, sealed_url, masked_url FROM webhooks WHERE id = ${id}::uuid`
      const before = yield* stored
      for (const same of [shown, encodeURI(shown), url]) {
        const kept = yield* call("PATCH", `/webhooks/${id}`, { url: same, description: same })
        assert.deepInclude(kept.body.data, { url: shown, description: same })
        assert.deepStrictEqual(yield* stored, before)
      }
      const other = "https://other.example/…"
      for (const { body: refused } of [
        yield* call("PATCH", `/webhooks/${id}`, { url: other }),
        yield* call("POST", "/webhooks", { url: shown })
      ])
        assert.deepStrictEqual([refused.code, errorPaths(refused)], ["invalid_request", [["url"]]])
      const moved = yield* call("PATCH", `/webhooks/${id}`, { url: "https://other.example/b" })
      assert.strictEqual(moved.body.data.url, other)
    })
  )

  it.effect("URLs that nothing would be sent to are refused, however they are spelled", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const refused = [
        "http://hooks.example/",
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://localhost/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest",
        "https://user:secret@hooks.example/",
        "https://hooks.example:8443/",
        "ftp://hooks.example/",
        "nonsense",
        ""
      ]
      for (const target of refused) {
        const { body, status } = yield* call("POST", "/webhooks", { url: target })
        assert.deepStrictEqual([status, body.code, errorPaths(body)], [400, "invalid_request", [["url"]]], target)
      }
      const created = yield* call("POST", "/webhooks", { url })
      const changed = yield* call("PATCH", `/webhooks/${created.body.data.id}`, { url: "https://10.0.0.1/" })
      assert.strictEqual(changed.body.code, "invalid_request")
    })
  )

  it.effect("What can't be stored of a URL or a description is refused as a mistake", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const unstorable = { url: "https://hooks.example/\u0000", description: "a\u0000b" }
      const { body, status } = yield* call("POST", "/webhooks", unstorable)
      assert.strictEqual(status, 400)
      assert.sameDeepMembers(errorPaths(body), [["url"], ["description"]])
      const created = yield* call("POST", "/webhooks", { url })
      const changed = yield* call("PATCH", `/webhooks/${created.body.data.id}`, unstorable)
      assert.sameDeepMembers(errorPaths(changed.body), [["url"], ["description"]])
    })
  )

  it.effect("A body with mistakes gets one problem that lists them all", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const { body } = yield* call("POST", "/webhooks", { url: 1, events: ["post.nothing"], extra: true })
      assert.sameDeepMembers(errorPaths(body), [["url"], ["events", 0], ["extra"]])
      assert.strictEqual((yield* call("POST", "/webhooks", { url, events: [] })).body.code, "invalid_request")
    })
  )

  it.effect("A workspace has at most ten webhooks, and a deleted one does not count", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const all = yield* Effect.all(
        Array.from({ length: maxWebhooks + 2 }, () => call("POST", "/webhooks", { url })),
        { concurrency: 4 }
      )
      const created = all.filter(({ status }) => status === 201)
      assert.lengthOf(created, maxWebhooks)
      assert.strictEqual(all.find(({ status }) => status !== 201)?.body.code, "webhook_limit")
      yield* call("DELETE", `/webhooks/${created[0]?.body.data.id}`)
      assert.strictEqual((yield* call("POST", "/webhooks", { url })).status, 201)
    })
  )

  it.effect("A key needs the scope webhooks:manage, and another workspace's webhooks do not exist for it", () =>
    Effect.gen(function* () {
      const { asStranger, call, callWith, team } = yield* start
      const { body } = yield* call("POST", "/webhooks", { url })
      const { id } = body.data
      const { key } = yield* makeKey(team.workspaceId, { scopes: ["posts:read"] })
      assert.strictEqual((yield* callWith(key)("GET", "/webhooks")).body.code, "insufficient_scope")
      assert.deepStrictEqual((yield* asStranger("GET", "/webhooks")).body, { data: [] })
      const requests = [
        ["GET", "", undefined],
        ["PATCH", "", { enabled: true }],
        ["DELETE", "", undefined],
        ["POST", "/rotate-secret", {}],
        ["POST", "/test", undefined],
        ["GET", "/deliveries", undefined],
        ["POST", `/deliveries/${id}/resend`, undefined],
        ["POST", "/replay", { since: "2020-01-01T00:00:00Z" }]
      ] as const
      for (const [method, path, sent] of requests) {
        const response = yield* asStranger(method, `/webhooks/${id}${path}`, sent)
        assert.deepStrictEqual([response.status, response.body.code], [404, "not_found"], path)
      }
    })
  )

  it.effect("A test is queued for one webhook alone, and its delivery can be sent again", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const { body } = yield* call("POST", "/webhooks", { url, events: ["post.failed"] })
      const other = yield* call("POST", "/webhooks", { url })
      const path = `/webhooks/${body.data.id}`
      const tested = yield* call("POST", `${path}/test`)
      assert.strictEqual(tested.status, 202)
      assert.deepInclude(tested.body.data, { type: "webhook.test", status: "pending", attempts: 0, log: [] })
      assert.deepStrictEqual((yield* call("GET", `${path}/deliveries`)).body.data, [tested.body.data])
      assert.deepStrictEqual((yield* call("GET", `/webhooks/${other.body.data.id}/deliveries`)).body.data, [])
      const resent = yield* call("POST", `${path}/deliveries/${tested.body.data.id}/resend`)
      assert.deepStrictEqual([resent.status, resent.body.data.status], [202, "pending"])
      yield* call("PATCH", path, { enabled: false })
      assert.strictEqual((yield* call("POST", `${path}/test`)).body.code, "invalid_state")
    })
  )

  it.effect("What a webhook missed is replayed once, and its deliveries are listed page by page", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const { events } = yield* Repo
      yield* recordEvents(team.workspaceId, 3)
      yield* events.dispatch(1000)
      const { body } = yield* call("POST", "/webhooks", { url })
      const path = `/webhooks/${body.data.id}`
      const replay = () => call("POST", `${path}/replay`, { since: "1970-01-01T00:00:00Z" })
      const first = yield* replay()
      assert.deepStrictEqual(
        [first.status, first.body],
        [202, { data: { queued: first.body.data.queued, more: false } }]
      )
      assert.isAtLeast(first.body.data.queued, 3)
      assert.deepStrictEqual((yield* replay()).body, { data: { queued: 0, more: false } })
      const page = yield* call("GET", `${path}/deliveries?limit=2&status=pending`)
      assert.lengthOf(page.body.data, 2)
      const rest = yield* call("GET", `${path}/deliveries?cursor=${page.body.next_cursor}`)
      assert.lengthOf(rest.body.data, first.body.data.queued - 2)
      assert.isNull(rest.body.next_cursor)
    })
  )
})
