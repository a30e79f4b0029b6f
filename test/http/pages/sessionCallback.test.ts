import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { send } from "../../support/http/client.ts"
import { baseUrl } from "../../support/http/server.ts"
import { accountWorld, makeAccountCaller } from "../handlers/accountWorld.ts"

const otherSession = "This was begun in another browser, or you have logged out or in since"

/** A person who came back from X with another account than the connected one, and submits the page's form. */
const meetQuestion = Effect.gen(function* () {
  const { integrations } = yield* Repo
  const caller = yield* makeAccountCaller()
  const before = yield* (yield* Sandbox).connect("twitter", "before")
  yield* integrations.connect(caller.workspaceId, { platform: "twitter", ...before })
  const page = yield* caller.open(yield* caller.connectTwitter())
  assert.strictEqual(page.status, 200)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)?.[1] ?? ""
  const decide = (decision: string, cookie: Readonly<Record<string, string>> = { cookie: caller.cookie }) =>
    send(`${caller.url}/oauth/twitter/decision`, {
      method: "POST",
      redirect: "manual",
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded", ...cookie },
      body: new URLSearchParams({
        token: field("token"),
        replaces: field("replaces"),
        return_to: field("return_to"),
        decision
      })
    })
  const connected = Effect.map(integrations.list(caller.workspaceId), ([account]) => account?.username)
  return { ...caller, decide, connected }
})

/** Makes X take a second to exchange the code. */
const slowExchange = <A, E, R>(begun: Effect.Effect<A, E, R>) =>
  Effect.tap(begun, () =>
    Effect.flatMap(Sandbox, ({ faults }) =>
      faults.add({ platform: "twitter", call: "session", fault: { kind: "delay", ms: 1000 } })
    )
  )

/** Waits for the delay, and skips faults that were met before it. */
const exchanging = Effect.flatMap(Sandbox, ({ faults }) =>
  Effect.repeat(faults.met, { until: ({ kind }) => kind === "delay" })
)

layer(accountWorld)("GET /oauth/twitter/callback for a session", (it) => {
  it.effect("An authorization that a person began goes on to the page of accounts, once", () =>
    Effect.gen(function* () {
      const { call, connectTwitter, open } = yield* makeAccountCaller()
      const callback = yield* connectTwitter()
      const { headers, status } = yield* open(callback)
      assert.deepStrictEqual([status, headers.get("location")], [303, `${baseUrl}/accounts?connected=twitter`])
      assert.deepInclude((yield* call("GET", "")).body.data[0], { platform: "twitter", username: "visitor" })
      const again = yield* open(callback)
      assert.strictEqual(again.status, 400)
      assert.include(again.text, "used already")
    })
  )

  it.effect("One browser can connect accounts on two platforms at once", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const { connectTwitter, cookie, open, workspaceId } = yield* makeAccountCaller()
      const session = Redacted.make(cookie.replace("__Host-session=", ""))
      const state = `other of ${workspaceId}`
      const begun = { workspaceId, verifier: Redacted.make("verifier"), begunIn: { session, returnTo: "/accounts" } }
      yield* oauthStates.begin(state, { platform: "bluesky", ...begun })
      const { headers } = yield* open(yield* connectTwitter())
      assert.strictEqual(headers.get("location"), `${baseUrl}/accounts?connected=twitter`)
      const other = Option.getOrThrow(yield* oauthStates.take("bluesky", state, Option.some(session)))
      assert.deepStrictEqual([other.workspaceId, other.isOtherSession], [workspaceId, false])
    })
  )

  it.effect("The URL asks for everything that publishing needs", () =>
    Effect.gen(function* () {
      const { call } = yield* makeAccountCaller()
      const { body, status } = yield* call("POST", "/twitter", {})
      assert.strictEqual(status, 201)
      assert.include(new URL(body.data.authorize_url).searchParams.get("scope"), "media.write")
      assert.match(body.data.expires_at, /Z$/)
    })
  )

  it.effect("The browser goes on to the path that was asked for, with its query", () =>
    Effect.gen(function* () {
      const { connectTwitter, open } = yield* makeAccountCaller()
      const { headers } = yield* open(yield* connectTwitter({ return_to: "/settings?tab=accounts" }))
      assert.strictEqual(headers.get("location"), `${baseUrl}/settings?tab=accounts&connected=twitter`)
    })
  )

  it.effect.each(["//evil.example", "/\\evil.example", "https://evil.example", "accounts", "", "/a\nb", "/#x", "/é"])(
    "The path %j, which may lead elsewhere, is refused",
    (return_to) =>
      Effect.gen(function* () {
        const { call } = yield* makeAccountCaller()
        const { body, status } = yield* call("POST", "/twitter", { return_to })
        assert.deepStrictEqual([status, body.errors[0].path], [400, ["return_to"]])
      })
  )

  it.effect.each([
    ["access_denied", "declined"],
    ["toString", "refused"],
    ["temporarily_unavailable", "unavailable"],
    ["<script>", "refused"]
  ] as const)("Where X reports %s, the browser goes on with error=%s", ([error, expected]) =>
    Effect.gen(function* () {
      const { call, connectTwitter, open } = yield* makeAccountCaller()
      const callback = new URL(yield* connectTwitter())
      callback.searchParams.set("error", error)
      const { headers, status } = yield* open(callback.href)
      assert.deepStrictEqual([status, headers.get("location")], [303, `${baseUrl}/accounts?error=${expected}`])
      assert.lengthOf((yield* call("GET", "")).body.data, 0)
    })
  )

  it.effect("Where X is down, the browser goes on with error=unavailable", () =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox
      const { connectTwitter, open } = yield* makeAccountCaller()
      const callback = yield* connectTwitter()
      yield* faults.add({ platform: "twitter", call: "session", fault: { kind: "status", status: 503 } })
      assert.strictEqual((yield* open(callback)).headers.get("location"), `${baseUrl}/accounts?error=unavailable`)
    })
  )

  it.effect("Where X does not accept the code, the browser goes on with error=refused", () =>
    Effect.gen(function* () {
      const { connectTwitter, open } = yield* makeAccountCaller()
      const callback = new URL(yield* connectTwitter())
      callback.searchParams.set("code", "another")
      assert.strictEqual((yield* open(callback.href)).headers.get("location"), `${baseUrl}/accounts?error=refused`)
    })
  )

  it.effect("Another browser can't complete it, and neither can the first one afterwards", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const other = yield* makeAccountCaller()
      for (const cookie of ["", other.cookie]) {
        const callback = yield* caller.connectTwitter()
        const { status, text } = yield* caller.open(callback, cookie)
        assert.strictEqual(status, 403)
        assert.include(text, otherSession)
        assert.strictEqual((yield* caller.open(callback)).status, 400)
      }
      assert.lengthOf((yield* caller.call("GET", "")).body.data, 0)
      assert.lengthOf((yield* other.call("GET", "")).body.data, 0)
    })
  )

  it.effect("The form that asks whoever has a link completes nothing that a person began in a session", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const callback = yield* caller.connectTwitter()
      const { status, text } = yield* caller.confirm(callback)
      assert.strictEqual(status, 403)
      assert.include(text, otherSession)
      assert.lengthOf((yield* caller.call("GET", "")).body.data, 0)
      // The attempt has used up the link's state.
      assert.strictEqual((yield* caller.open(callback)).status, 400)
      assert.lengthOf((yield* caller.call("GET", "")).body.data, 0)
    })
  )

  it.effect("A session that ends while X exchanges the code completes nothing", () =>
    Effect.gen(function* () {
      const { integrations, sessions } = yield* Repo
      const caller = yield* makeAccountCaller()
      const callback = yield* slowExchange(caller.connectTwitter())
      const opening = yield* Effect.forkChild(caller.open(callback))
      yield* exchanging
      yield* sessions.end(Redacted.make(caller.cookie.replace(/^[^=]*=/, "")))
      yield* TestClock.adjust("1 second")
      const { status, text } = yield* Fiber.join(opening)
      assert.strictEqual(status, 403)
      assert.include(text, otherSession)
      assert.lengthOf(yield* integrations.list(caller.workspaceId), 0)
    })
  )

  it.effect("A session that ended meanwhile completes nothing", () =>
    Effect.gen(function* () {
      const { sessions } = yield* Repo
      const { connectTwitter, cookie, open, workspaceId } = yield* makeAccountCaller()
      const callback = yield* connectTwitter()
      yield* sessions.end(Redacted.make(cookie.replace(/^[^=]*=/, "")))
      const { status, text } = yield* open(callback)
      assert.strictEqual(status, 403)
      assert.include(text, otherSession)
      assert.lengthOf(yield* (yield* Repo).integrations.list(workspaceId), 0)
    })
  )

  it.effect("A session that is in another workspace by then completes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { connectTwitter, open, user, workspaceId } = yield* makeAccountCaller()
      const callback = yield* connectTwitter()
      const other = yield* makeWorkspace([])
      yield* sql`INSERT INTO members (workspace_id, user_id, role, created_at)
        VALUES (${other}::uuid, ${user?.id ?? ""}::uuid, 'admin', now())`
      yield* sql`UPDATE sessions SET workspace_id = ${other}::uuid WHERE user_id = ${user?.id ?? ""}::uuid`
      const { status, text } = yield* open(callback)
      assert.strictEqual(status, 403)
      assert.include(text, "You are now in another workspace")
      for (const each of [workspaceId, other]) assert.lengthOf(yield* (yield* Repo).integrations.list(each), 0)
    })
  )

  it.effect("A person who is no admin any more completes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { connectTwitter, open, user, workspaceId } = yield* makeAccountCaller()
      const callback = yield* connectTwitter()
      yield* sql`UPDATE members SET role = 'editor' WHERE user_id = ${user?.id ?? ""}::uuid`
      assert.strictEqual((yield* open(callback)).status, 403)
      assert.lengthOf(yield* (yield* Repo).integrations.list(workspaceId), 0)
    })
  )

  it.effect("A person who loses the right while X exchanges the code is told so, and completes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { connectTwitter, open, user, workspaceId } = yield* makeAccountCaller()
      const opening = yield* Effect.forkChild(open(yield* slowExchange(connectTwitter())))
      yield* exchanging
      yield* sql`UPDATE members SET role = 'viewer' WHERE user_id = ${user?.id ?? ""}::uuid`
      yield* TestClock.adjust("1 second")
      const { status, text } = yield* Fiber.join(opening)
      assert.strictEqual(status, 403)
      assert.include(text, "may no longer connect accounts")
      assert.lengthOf(yield* (yield* Repo).integrations.list(workspaceId), 0)
    })
  )

  it.effect("An account whose person leaves the page while X exchanges the code is connected all the same", () =>
    Effect.gen(function* () {
      const { call, confirm, connectTwitter } = yield* makeAccountCaller("key")
      const confirming = yield* Effect.forkChild(confirm(yield* slowExchange(connectTwitter())))
      yield* exchanging
      yield* Fiber.interrupt(confirming)
      // Once this request is served, the server has noticed the closed connection.
      assert.lengthOf((yield* call("GET", "")).body.data, 0)
      yield* TestClock.adjust("1 second")
      const accounts = yield* Effect.repeat(call("GET", ""), { until: ({ body }) => body.data.length > 0 })
      assert.strictEqual(accounts.body.data[0].username, "visitor")
    })
  )

  it.effect("What a key began is completed in any browser, on a page of the service", () =>
    Effect.gen(function* () {
      const { call, confirm, connectTwitter } = yield* makeAccountCaller("key")
      const { status, text } = yield* confirm(yield* connectTwitter({ return_to: "/settings" }))
      assert.strictEqual(status, 200)
      assert.include(text, "Posts can now go out as @visitor")
      assert.strictEqual((yield* call("GET", "")).body.data[0].username, "visitor")
    })
  )

  it.effect("Another account is decided on a page, which then goes on to the page of accounts", () =>
    Effect.gen(function* () {
      for (const [decision, outcome] of [
        ["cancel", "error=canceled"],
        ["replace", "connected=twitter"]
      ] as const) {
        const { decide } = yield* meetQuestion
        const { headers, status } = yield* decide(decision)
        assert.deepStrictEqual([status, headers.get("location")], [303, `${baseUrl}/accounts?${outcome}`])
      }
    })
  )

  it.effect("Another account is decided on by the session alone that began, and its person is an admin still", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { connected, decide, user } = yield* meetQuestion
      const stranger = yield* makeAccountCaller()
      for (const cookie of [{}, { cookie: stranger.cookie }]) {
        const { status, text } = yield* decide("replace", cookie)
        assert.strictEqual(status, 403)
        assert.include(text, otherSession)
      }
      yield* sql`UPDATE members SET role = 'editor' WHERE user_id = ${user?.id ?? ""}::uuid`
      assert.strictEqual((yield* decide("replace")).status, 403)
      assert.strictEqual(yield* connected, "before")
      yield* sql`UPDATE members SET role = 'admin' WHERE user_id = ${user?.id ?? ""}::uuid`
      assert.strictEqual((yield* decide("replace")).status, 303)
      assert.strictEqual(yield* connected, "visitor")
    })
  )

  it.effect.each(["viewer", "editor"] as const)("A person with the role %s can't begin", (role) =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller(role)
      for (const [method, path] of [
        ["POST", "/twitter"],
        ["POST", "/bluesky"],
        ["POST", "/decision"]
      ] as const) {
        const { body, status } = yield* caller.call(method, path, {})
        assert.deepStrictEqual([status, body.code], [403, "insufficient_role"])
      }
    })
  )
})
