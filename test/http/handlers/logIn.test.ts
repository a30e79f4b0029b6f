import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen, logIn, makeUser, password, returnedCookie, setCookie, SharedUser } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { makeTeam, startOnDatabase } from "../../support/http/team.ts"

// Not policed: passwords take most of its time, and belong to no workspace.

const secureCookie = /^__Host-session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
const plainCookie = /^session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/

layer(SharedUser.layer)("POST /v1/session", (it) => {
  it.effect("Log-in returns the session's user, workspace and end, and sets a cookie with every protection", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const user = yield* SharedUser
      const response = yield* logIn(url, { email: user.email.toUpperCase() })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.body.data, {
        user_id: user.id,
        email: user.email,
        workspace_id: user.workspaceId,
        role: "viewer",
        expires_at: "1970-01-15T00:00:00.000Z"
      })
      assert.lengthOf(response.headers.getSetCookie(), 1)
      assert.match(setCookie(response), secureCookie)
      assert.isTrue(yield* isOpen(url, returnedCookie(response)))
    })
  )

  it.effect.each([
    { servedAt: "http://127.0.0.1:3000", kind: "plain", cookie: plainCookie },
    { servedAt: "http://localhost:3000", kind: "plain", cookie: plainCookie },
    { servedAt: "http://[::1]:3000", kind: "plain", cookie: plainCookie },
    { servedAt: "http://0.0.0.0:3000", kind: "secure", cookie: secureCookie },
    { servedAt: "http://localhost.example", kind: "secure", cookie: secureCookie },
    { servedAt: "https://localhost:3000", kind: "secure", cookie: secureCookie }
  ])("A service at $servedAt sets a $kind cookie", ({ servedAt, cookie }) =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ servedAt })
      const response = yield* logIn(url, yield* SharedUser)
      assert.match(setCookie(response), cookie)
      assert.isTrue(yield* isOpen(url, returnedCookie(response)))
    })
  )

  it.effect("A service behind a proxy that terminates TLS on the same machine sets a secure cookie", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ servedAt: "http://127.0.0.1:3000", trustProxy: "on" })
      const https = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" }
      const response = yield* logIn(url, yield* SharedUser, https)
      assert.match(setCookie(response), /^__Host-session=.*; Secure;/)
      const cookie = returnedCookie(response)
      assert.strictEqual((yield* sendJson(`${url}/v1/notifications`, "GET", { ...https, cookie })).status, 200)
    })
  )

  it.effect("The database does not contain the session's token", () =>
    Effect.gen(function* () {
      const response = yield* logIn(yield* ServerUrl, yield* SharedUser)
      const token = returnedCookie(response).split("=")[1] ?? ""
      const sql = yield* SqlClient.SqlClient
      assert.notInclude(JSON.stringify(yield* sql`SELECT s::text, encode(hash, 'escape') FROM sessions s`), token)
    })
  )

  it.effect("A wrong password and an unknown address get the same 401, without a cookie", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* SharedUser
      const responses = yield* Effect.forEach(
        [
          { email, password: "wrong" },
          { email, password: `${password} ` },
          { email: "nobody@example.com", password }
        ],
        (body) => logIn(url, body)
      )
      for (const { status, headers, body } of responses) {
        assert.deepStrictEqual([status, body.code], [401, "unauthorized"])
        assert.strictEqual(body.detail, "The email address or the password is wrong")
        assert.lengthOf(headers.getSetCookie(), 0)
      }
    })
  )

  it.effect(
    "A user who is a member of no workspace gets a problem of its own, also for a named one, and no cookie",
    () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const { email, id, workspaceId } = yield* makeUser
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM members WHERE user_id = ${id}::uuid`
        const answers = [yield* logIn(url, { email }), yield* logIn(url, { email, workspace_id: workspaceId })]
        for (const { body, headers, status } of answers) {
          assert.deepStrictEqual([status, body.code], [403, "no_workspace"])
          assert.lengthOf(headers.getSetCookie(), 0)
        }
        assert.strictEqual((yield* logIn(url, { email, password: "wrong" })).status, 401)
      })
  )

  it.effect("Log-in is to the named workspace if the user is a member of it, and by default to their first", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { id, email, workspaceId } = yield* makeUser
      const second = yield* makeWorkspace([])
      const foreign = yield* makeWorkspace([])
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO members (workspace_id, user_id, created_at) VALUES (${second}::uuid, ${id}::uuid, now())`
      assert.strictEqual((yield* logIn(url, { email })).body.data.workspace_id, workspaceId)
      assert.strictEqual((yield* logIn(url, { email, workspace_id: second })).body.data.workspace_id, second)
      const refused = yield* logIn(url, { email, workspace_id: foreign })
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(refused.body), [["workspace_id"]])
    })
  )

  it.effect.each([
    { body: {}, paths: [["email"], ["password"]] },
    { body: { email: "a@b.example", password, more: 1 }, paths: [["more"]] },
    { body: { email: "a\0@b.example", password: "\ud800" }, paths: [["email"], ["password"]] },
    { body: { email: "a@b.example", password: "x".repeat(1025) }, paths: [["password"]] },
    { body: { email: "a@b.example", password, workspace_id: "mine" }, paths: [["workspace_id"]] }
  ])("An invalid body gets a 400 that names every invalid field: $paths", ({ body, paths }) =>
    Effect.gen(function* () {
      const response = yield* sendJson(`${yield* ServerUrl}/v1/session`, "POST", {}, body)
      assert.deepStrictEqual([response.status, response.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(response.body), paths)
    })
  )

  it.effect("Log-in ends the session that the request came with, which prevents session fixation", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const user = yield* SharedUser
      const first = returnedCookie(yield* logIn(url, user))
      const second = returnedCookie(yield* logIn(url, user, sessionHeaders(first)))
      assert.notStrictEqual(second, first)
      assert.deepStrictEqual([yield* isOpen(url, first), yield* isOpen(url, second)], [false, true])
    })
  )

  it.effect("A failed log-in leaves the session open that the request came with", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* SharedUser
      const cookie = returnedCookie(yield* logIn(url, { email }))
      yield* logIn(url, { email, password: "wrong" }, sessionHeaders(cookie))
      assert.isTrue(yield* isOpen(url, cookie))
    })
  )

  it.effect("Ten wrong passwords from an address in a minute block its log-ins, even with the right password", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* SharedUser
      const attempts = Array.from({ length: 12 })
      const wrong = yield* Effect.forEach(attempts, () => logIn(url, { email, password: "wrong" }), { concurrency: 12 })
      assert.lengthOf(
        wrong.filter(({ status }) => status === 401),
        10
      )
      const refused = yield* logIn(url, { email })
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* logIn(url, { email })).status, 200)
      const right = yield* Effect.forEach(attempts, () => logIn(url, { email }))
      assert.isTrue(right.every(({ status }) => status === 200))
    })
  )

  it.effect("A log-in with the right password does not take back the wrong ones that came before it", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* SharedUser
      const statuses = yield* Effect.forEach(
        ["wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "wrong", password, "wrong", password],
        (attempt) => Effect.map(logIn(url, { email, password: attempt }), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses.slice(-3), [200, 401, 429])
    })
  )

  it.effect("Excess concurrent log-ins get a 503 with Retry-After, and delay no other request", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ trustProxy: "on" })
      const { key } = yield* makeTeam
      const { email } = yield* SharedUser
      const burst = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`),
          (address) => logIn(url, { email, password: "wrong" }, { "x-forwarded-for": address }),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", keyHeaders(key))).status, 200)
      assert.isUndefined(burst.pollUnsafe())
      const responses = yield* Fiber.join(burst)
      const checked = responses.filter(({ status }) => status === 401)
      assert.isAtLeast(checked.length, 64)
      const refused = responses.filter(({ status }) => status !== 401)
      assert.isAtLeast(refused.length, 1)
      for (const { body, headers, status } of refused) {
        assert.deepStrictEqual([status, body.code, headers.get("retry-after")], [503, "unavailable", "5"])
      }
      assert.strictEqual((yield* logIn(url, { email })).status, 200)
    })
  )
})
