import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { plan } from "../../support/database/fixtures.ts"
import { errorPaths } from "../../support/http/client.ts"
import { baseUrl } from "../../support/http/server.ts"
import { accountWorld, makeAccountCaller, strictAccountWorld } from "./accountWorld.ts"

const later = DateTime.makeUnsafe("2030-01-01T00:00:00Z")

layer(accountWorld)("POST /v1/integrations/bluesky", (it) => {
  it.effect.each(["admin", "key"] as const)("An %s connects an account, and connecting it again keeps its id", (as) =>
    Effect.gen(function* () {
      const { call, connectBluesky } = yield* makeAccountCaller(as)
      const { body, headers, status } = yield* connectBluesky("acme")
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("location"), `${baseUrl}/v1/integrations/${body.data.id}`)
      assert.deepInclude(body.data, { platform: "bluesky", username: "acme.sandbox.test", status: "connected" })
      const again = yield* connectBluesky("acme")
      assert.deepStrictEqual([again.status, again.body.data.id], [201, body.data.id])
      const { body: listed } = yield* call("GET", "")
      assert.deepStrictEqual(listed.data, [again.body.data])
    })
  )

  it.effect(
    "An account whose access the platform refused is connected again by the same account, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const { integrations, posts } = yield* Repo
        const { call, connectBluesky, workspaceId } = yield* makeAccountCaller()
        const { id } = (yield* connectBluesky("resumed")).body.data
        yield* posts.create(workspaceId, plan(later, ["bluesky"]))
        const { former } = yield* integrations.disconnect(id)
        assert.isNotNull(former)
        assert.strictEqual((yield* call("GET", `/${id}`)).status, 404)
        assert.strictEqual((yield* connectBluesky("resumed")).body.data.id, id)
        const { body } = yield* call("GET", `/${id}`)
        assert.deepStrictEqual(body.data.waiting, { drafts: 0, scheduled: 1, failed: 0 })
        assert.isNull(body.data.last_published_at)
      })
  )

  it.effect("Two people who connect at once connect one account", () =>
    Effect.gen(function* () {
      const { call, connectBluesky } = yield* makeAccountCaller()
      const answers = yield* Effect.all([connectBluesky("twins"), connectBluesky("twins")], { concurrency: 2 })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [201, 201]
      )
      assert.lengthOf((yield* call("GET", "")).body.data, 1)
    })
  )

  it.effect.each([
    ["a wrong app password", { app_password: "wrong" }, ["app_password"], "does not accept this handle"],
    ["a wrong app password at the default server", { app_password: "wrong" }, ["app_password"], "server of its own"],
    ["an unknown handle", { identifier: "nobody.test" }, ["app_password"], "does not accept this handle"],
    ["a blank handle", { identifier: " " }, ["identifier"], "handle"],
    ["no app password", { app_password: "" }, ["app_password"], "length"],
    ["a service without encryption", { service: "http://pds.example" }, ["service"], "https"],
    ["a service that is no URL", { service: "bsky" }, ["service"], "https"]
  ] as const)("%s is a 400 that names the field", ([, change, path, message]) =>
    Effect.gen(function* () {
      const { connectBluesky } = yield* makeAccountCaller()
      const { body, status, text } = yield* connectBluesky("acme", change)
      assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(body), [[...path]])
      assert.include(body.errors[0].message, message)
      assert.notInclude(text, "Invalid identifier or password")
      yield* TestClock.adjust("1 minute")
    })
  )

  it.effect("A form with every field wrong is a 400 that names all of them", () =>
    Effect.gen(function* () {
      const { connectBluesky } = yield* makeAccountCaller()
      const wrong = { identifier: " ", app_password: "", service: "" }
      const { body, status } = yield* connectBluesky("acme", wrong)
      assert.deepStrictEqual([status, errorPaths(body)], [400, Object.keys(wrong).map((name) => [name])])
    })
  )

  it.effect.each([
    ["refuses log-ins for now", { kind: "status", status: 429 }],
    ["is down", { kind: "status", status: 503, detail: "a secret of the platform" }],
    ["ends the connection", { kind: "reset", when: "before_commit" }]
  ] as const)("While the platform %s, the response is a 503 that says when to try again", ([, fault]) =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox
      const { call, connectBluesky } = yield* makeAccountCaller()
      yield* faults.add({ platform: "bluesky", call: "session", fault })
      const { body, headers, status, text } = yield* connectBluesky("acme")
      assert.deepStrictEqual([status, body.code], [503, "platform_unavailable"])
      assert.isAtLeast(Number(headers.get("retry-after")), 30)
      assert.notInclude(text, "a secret of the platform")
      assert.lengthOf((yield* call("GET", "")).body.data, 0)
      yield* TestClock.adjust("1 minute")
    })
  )

  it.effect("Log-ins that a platform did not take because it was away don't count as failed", () =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox
      const { connectBluesky } = yield* makeAccountCaller()
      for (let attempt = 0; attempt < 11; attempt++) {
        yield* faults.add({ platform: "bluesky", call: "session", fault: { kind: "status", status: 503 } })
        assert.strictEqual((yield* connectBluesky("acme")).status, 503)
      }
      assert.strictEqual((yield* connectBluesky("acme")).status, 201)
    })
  )

  it.effect("After ten failed log-ins a workspace waits for a minute, even with the right password", () =>
    Effect.gen(function* () {
      const { connectBluesky } = yield* makeAccountCaller()
      for (let attempt = 0; attempt < 10; attempt++) {
        assert.strictEqual((yield* connectBluesky("guessed", { app_password: `guess ${attempt}` })).status, 400)
      }
      const { body, headers, status } = yield* connectBluesky("guessed")
      assert.deepStrictEqual([status, body.code], [429, "rate_limited"])
      assert.isAbove(Number(headers.get("retry-after")), 0)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* connectBluesky("guessed")).status, 201)
    })
  )
})

layer(strictAccountWorld)("POST /v1/integrations/bluesky with a service", (it) => {
  it.effect.each([
    "https://127.0.0.1:2583",
    "https://localhost:2583",
    "https://10.0.0.8",
    "https://[::1]",
    "https://169.254.169.254/latest",
    "https://2130706433"
  ])("%s, which is no public address, is a 400, and nothing is sent there", (service) =>
    Effect.gen(function* () {
      const { connectBluesky } = yield* makeAccountCaller()
      const { body, status } = yield* connectBluesky("acme", { service })
      assert.deepStrictEqual([status, errorPaths(body)], [400, [["service"]]])
      assert.include(body.errors[0].message, "does not lead to a public address")
      yield* TestClock.adjust("1 minute")
    })
  )
})

layer(accountWorld)("POST /v1/integrations/decision", (it) => {
  /** A workspace with an account and its waiting posts, and the change to another account. */
  const ask = Effect.gen(function* () {
    const { posts } = yield* Repo
    const caller = yield* makeAccountCaller()
    const { id } = (yield* caller.connectBluesky("before")).body.data
    const { id: post } = yield* posts.create(caller.workspaceId, plan(later, ["bluesky"]))
    const refused = yield* caller.connectBluesky("after")
    assert.deepStrictEqual([refused.status, refused.body.code], [409, "another_account_connected"])
    const { change } = refused.body
    const decide = (decision: string, more: object = {}) =>
      caller.call("POST", "/decision", { token: change.token, replaces: change.replaces, decision, ...more })
    const status = Effect.map(posts.get(caller.workspaceId, post), (found) => found.status)
    const username = Effect.map(caller.call("GET", ""), ({ body }) => body.data[0].username)
    return { ...caller, id, change, decide, status, username }
  })

  it.effect("Another account changes nothing, and the response says what waits", () =>
    Effect.gen(function* () {
      const { change, status, username } = yield* ask
      assert.deepInclude(change, { platform: "bluesky", waiting: { drafts: 0, scheduled: 1, failed: 0 } })
      assert.strictEqual(change.current.username, "before.sandbox.test")
      assert.strictEqual(change.current.account_id, change.replaces)
      assert.strictEqual(change.next.username, "after.sandbox.test")
      assert.deepStrictEqual([yield* status, yield* username], ["scheduled", "before.sandbox.test"])
    })
  )

  it.effect.each([
    ["replace", "scheduled", "after.sandbox.test"],
    ["drafts", "draft", "after.sandbox.test"],
    ["cancel", "scheduled", "before.sandbox.test"]
  ] as const)("The decision to %s takes effect once", ([decision, expected, account]) =>
    Effect.gen(function* () {
      const { decide, id, status, username } = yield* ask
      const { body, status: code } = yield* decide(decision)
      assert.strictEqual(code, 200)
      assert.strictEqual(body.data?.id ?? null, decision === "cancel" ? null : id)
      assert.isNull(body.unchanged)
      assert.deepStrictEqual([yield* status, yield* username], [expected, account])
      const again = yield* decide(decision)
      assert.deepStrictEqual([again.status, again.body.code], [404, "not_found"])
    })
  )

  it.effect("Another workspace can't decide, and leaves the change as it is", () =>
    Effect.gen(function* () {
      const { change, decide, username } = yield* ask
      const stranger = yield* makeAccountCaller()
      const refused = yield* stranger.call("POST", "/decision", {
        token: change.token,
        replaces: change.replaces,
        decision: "replace"
      })
      assert.strictEqual(refused.status, 404)
      assert.strictEqual(yield* username, "before.sandbox.test")
      assert.strictEqual((yield* decide("replace")).status, 200)
    })
  )

  it.effect("A decision after 15 minutes changes nothing", () =>
    Effect.gen(function* () {
      const { decide, username } = yield* ask
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* decide("replace")).status, 404)
      assert.strictEqual(yield* username, "before.sandbox.test")
    })
  )

  it.effect("A decision about another account than the connected one asks again with the same token", () =>
    Effect.gen(function* () {
      const { change, decide, username } = yield* ask
      const refused = yield* decide("replace", { replaces: "did:plc:other" })
      assert.deepStrictEqual([refused.status, refused.body.code], [409, "another_account_connected"])
      assert.deepStrictEqual(refused.body.change, change)
      assert.strictEqual((yield* decide("replace")).status, 200)
      assert.strictEqual(yield* username, "after.sandbox.test")
    })
  )

  it.effect("After an account was disconnected, another one is still asked about", () =>
    Effect.gen(function* () {
      const { call, connectBluesky, decide, id } = yield* ask
      const { body, status } = yield* call("DELETE", `/${id}`)
      assert.deepStrictEqual([status, body], [200, { data: { id, deleted: true } }])
      assert.strictEqual((yield* call("DELETE", `/${id}`)).status, 404)
      assert.strictEqual((yield* connectBluesky("after")).status, 409)
      assert.strictEqual((yield* decide("replace")).body.data.id, id)
    })
  )
})
