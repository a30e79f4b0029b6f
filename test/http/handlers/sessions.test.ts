import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { type ClientResponse, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { baseUrl } from "../../support/http/server.ts"
import { makeKey, makeSession, makeTeam, notify, startOnDatabase } from "../../support/http/team.ts"
import { sessionLifetime } from "../../../src/domain/session.ts"

const password = "a long and secret sentence"

let users = 0

/** A user who can log in, and their workspace. */
const makeUser = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace([])
  const { id, email } = yield* (yield* Repo).users.create(
    workspaceId,
    `user${++users}@example.com`,
    Redacted.make(password)
  )
  return { id, email, workspaceId }
})

const cookieOf = (answer: ClientResponse): string => answer.headers.getSetCookie()[0] ?? ""

/** The cookie as a browser sends it back. */
const sentBack = (answer: ClientResponse): string => cookieOf(answer).split(";", 1)[0] ?? ""

const isOpen = (url: string, cookie: string) =>
  Effect.map(sendJson(`${url}/v1/notifications`, "GET", { cookie }), ({ status }) => status === 200)

layer(repoLayer)("logging in", (it) => {
  it.effect(
    "answers whose session it is and until when, and sets a cookie that scripts and other sites don't get",
    () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const user = yield* makeUser
        const answer = yield* sendJson(`${url}/v1/session`, "POST", {}, { email: user.email.toUpperCase(), password })
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(answer.body.data, {
          user_id: user.id,
          email: user.email,
          workspace_id: user.workspaceId,
          expires_at: "1970-01-15T00:00:00.000Z"
        })
        assert.lengthOf(answer.headers.getSetCookie(), 1)
        assert.match(
          cookieOf(answer),
          /^__Host-session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
        )
        assert.isTrue(yield* isOpen(url, sentBack(answer)))
      })
  )

  it.effect.each([
    { servedAt: "http://127.0.0.1:3000", plain: true },
    { servedAt: "http://localhost:3000", plain: true },
    { servedAt: "http://[::1]:3000", plain: true },
    { servedAt: "http://0.0.0.0:3000", plain: false },
    { servedAt: "http://localhost.example", plain: false },
    { servedAt: "https://localhost:3000", plain: false }
  ])("names the cookie for plain loopback HTTP only where that is what is served: $servedAt", ({ servedAt, plain }) =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ servedAt })
      const { email } = yield* makeUser
      const answer = yield* sendJson(`${url}/v1/session`, "POST", {}, { email, password })
      assert.match(
        cookieOf(answer),
        plain
          ? /^session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/
          : /^__Host-session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
      assert.isTrue(yield* isOpen(url, sentBack(answer)))
    })
  )

  it.effect("names the cookie for HTTPS behind a proxy on the same machine that terminates TLS", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ servedAt: "http://127.0.0.1:3000", trustProxy: "on" })
      const { email } = yield* makeUser
      const https = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" }
      const answer = yield* sendJson(`${url}/v1/session`, "POST", https, { email, password })
      assert.match(cookieOf(answer), /^__Host-session=.*; Secure;/)
      const cookie = sentBack(answer)
      assert.strictEqual((yield* sendJson(`${url}/v1/notifications`, "GET", { ...https, cookie })).status, 200)
    })
  )

  it.effect("stores nothing that opens the session", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const answer = yield* sendJson(`${url}/v1/session`, "POST", {}, { email, password })
      const token = sentBack(answer).split("=")[1] ?? ""
      const sql = yield* SqlClient.SqlClient
      assert.notInclude(JSON.stringify(yield* sql`SELECT s::text, encode(hash, 'escape') FROM sessions s`), token)
    })
  )

  it.effect("does not tell a wrong password from an unknown address, and sets no cookie then", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const answers = yield* Effect.forEach(
        [
          { email, password: "wrong" },
          { email, password: `${password} ` },
          { email: "nobody@example.com", password }
        ],
        (body) => sendJson(`${url}/v1/session`, "POST", {}, body)
      )
      for (const { status, headers, body } of answers) {
        assert.deepStrictEqual([status, body.code], [401, "unauthorized"])
        assert.strictEqual(body.detail, "The email address or the password is wrong")
        assert.lengthOf(headers.getSetCookie(), 0)
      }
    })
  )

  it.effect("is into the workspace that is named, if the user is a member of it, or else into their first", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const user = yield* makeUser
      const second = yield* makeWorkspace([])
      const strange = yield* makeWorkspace([])
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO members (workspace_id, user_id, created_at) VALUES (${second}::uuid, ${user.id}::uuid, now())`
      const logIn = (more: object) =>
        sendJson(`${url}/v1/session`, "POST", {}, { email: user.email, password, ...more })
      assert.strictEqual((yield* logIn({})).body.data.workspace_id, user.workspaceId)
      assert.strictEqual((yield* logIn({ workspace_id: second })).body.data.workspace_id, second)
      const refused = yield* logIn({ workspace_id: strange })
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(refused.body.errors[0].path, ["workspace_id"])
    })
  )

  it.effect.each([
    { body: {}, paths: [["email"], ["password"]] },
    { body: { email: "a@b.example", password, more: 1 }, paths: [["more"]] },
    { body: { email: "a\0@b.example", password: "\ud800" }, paths: [["email"], ["password"]] },
    { body: { email: "a@b.example", password: "x".repeat(1025) }, paths: [["password"]] },
    { body: { email: "a@b.example", password, workspace_id: "mine" }, paths: [["workspace_id"]] }
  ])("refuses a body that does not fit, and names every field: $paths", ({ body, paths }) =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const answer = yield* sendJson(`${url}/v1/session`, "POST", {}, body)
      assert.deepStrictEqual([answer.status, answer.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(
        answer.body.errors.map((error: { path: unknown }) => error.path),
        paths
      )
    })
  )

  it.effect("ends the session that the request came with", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const first = sentBack(yield* sendJson(`${url}/v1/session`, "POST", {}, { email, password }))
      const second = sentBack(yield* sendJson(`${url}/v1/session`, "POST", sessionHeaders(first), { email, password }))
      assert.notStrictEqual(second, first)
      assert.deepStrictEqual([yield* isOpen(url, first), yield* isOpen(url, second)], [false, true])
    })
  )

  it.effect("leaves the session open that the request came with where the password is wrong", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const cookie = sentBack(yield* sendJson(`${url}/v1/session`, "POST", {}, { email, password }))
      yield* sendJson(`${url}/v1/session`, "POST", sessionHeaders(cookie), { email, password: "wrong" })
      assert.isTrue(yield* isOpen(url, cookie))
    })
  )

  it.effect("is refused after ten wrong passwords from one address in a minute, without looking at the password", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const logIn = (attempt: string) => sendJson(`${url}/v1/session`, "POST", {}, { email, password: attempt })
      const statuses = yield* Effect.forEach(Array.from({ length: 12 }), () => logIn("wrong"), { concurrency: 12 })
      assert.lengthOf(
        statuses.filter(({ status }) => status === 401),
        10
      )
      const refused = yield* logIn(password)
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* logIn(password)).status, 200)
      const right = yield* Effect.forEach(Array.from({ length: 12 }), () => logIn(password))
      assert.isTrue(right.every(({ status }) => status === 200))
    })
  )
})

layer(repoLayer)("a storm of log-ins", (it) => {
  it.effect(
    "is checked as far as that is done in time, told to come again for the rest, and holds nobody else up",
    () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase({ trustProxy: "on" })
        const { key } = yield* makeTeam
        const { email } = yield* makeUser
        const storm = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 150 }, (_, index) => `198.51.100.${index}`),
            (address) =>
              sendJson(`${url}/v1/session`, "POST", { "x-forwarded-for": address }, { email, password: "wrong" }),
            { concurrency: "unbounded" }
          )
        )
        assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", keyHeaders(key))).status, 200)
        assert.isUndefined(storm.pollUnsafe())
        const answers = yield* Fiber.join(storm)
        const statuses = answers.map(({ status }) => status)
        assert.isAtLeast(statuses.filter((status) => status === 401).length, 64)
        const sentAway = answers.filter(({ status }) => status !== 401)
        assert.isAtLeast(sentAway.length, 1)
        for (const { body, headers, status } of sentAway) {
          assert.deepStrictEqual([status, body.code, headers.get("retry-after")], [503, "unavailable", "5"])
        }
        assert.strictEqual((yield* sendJson(`${url}/v1/session`, "POST", {}, { email, password })).status, 200)
      })
  )
})

layer(repoLayer)("a session", (it) => {
  it.effect("ends by logging out, which removes the cookie", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { cookie } = yield* makeTeam
      const answer = yield* sendJson(`${url}/v1/session`, "DELETE", sessionHeaders(cookie))
      assert.deepStrictEqual([answer.status, answer.body], [200, { data: { deleted: true } }])
      assert.match(
        cookieOf(answer),
        /^__Host-session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 .*; HttpOnly; Secure; SameSite=Lax$/
      )
      assert.isFalse(yield* isOpen(url, cookie))
      const again = yield* sendJson(`${url}/v1/session`, "DELETE", sessionHeaders(cookie))
      assert.strictEqual(again.status, 401)
    })
  )

  it.effect("ends by logging out everywhere, with all others of the same user and nobody else's", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { cookie, user, workspaceId } = yield* makeTeam
      const elsewhere = yield* makeSession(user.id, workspaceId)
      const { cookie: colleague } = yield* makeTeam
      const misspelt = yield* sendJson(`${url}/v1/session?everywhere=yes`, "DELETE", sessionHeaders(cookie))
      assert.deepStrictEqual([misspelt.status, misspelt.body.errors[0].path], [400, ["everywhere"]])
      const answer = yield* sendJson(`${url}/v1/session?everywhere=true`, "DELETE", sessionHeaders(cookie))
      assert.deepStrictEqual([answer.status, answer.body], [200, { data: { deleted: true } }])
      const open = yield* Effect.forEach([cookie, elsewhere, colleague], (one) => isOpen(url, one))
      assert.deepStrictEqual(open, [false, false, true])
    })
  )

  it.effect("ends when the user is given another password, which is taken from then on", () =>
    Effect.gen(function* () {
      const { users } = yield* Repo
      const url = yield* startOnDatabase()
      const { email } = yield* makeUser
      const logIn = (attempt: string) => sendJson(`${url}/v1/session`, "POST", {}, { email, password: attempt })
      const cookie = sentBack(yield* logIn(password))
      yield* users.setPassword(email.toUpperCase(), Redacted.make("another secret sentence"))
      assert.isFalse(yield* isOpen(url, cookie))
      assert.strictEqual((yield* logIn(password)).status, 401)
      assert.strictEqual((yield* logIn("another secret sentence")).status, 200)
      const unknown = yield* Effect.flip(users.setPassword("nobody@example.com", Redacted.make(password)))
      assert.strictEqual(unknown.message, "There is no user nobody@example.com")
    })
  )

  it.effect("ends two weeks after logging in", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { cookie } = yield* makeTeam
      assert.isTrue(yield* isOpen(url, cookie))
      yield* TestClock.adjust(sessionLifetime)
      assert.isFalse(yield* isOpen(url, cookie))
    })
  )

  it.effect("is nothing beside a key: the key's workspace and way of paging are what counts", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const team = yield* makeTeam
      const other = yield* makeTeam
      yield* notify(team.workspaceId)
      const { status, body } = yield* sendJson(`${url}/v1/notifications`, "GET", {
        cookie: team.cookie,
        ...keyHeaders(other.key)
      })
      assert.deepStrictEqual([status, body.total, body.page], [200, 0, 0])
    })
  )
})

describe("what changes something with a session", () => {
  const origins: ReadonlyArray<{
    readonly what: string
    readonly headers: Record<string, string>
    readonly taken: boolean
  }> = [
    { what: "the service's own page", headers: { "sec-fetch-site": "same-origin" }, taken: true },
    { what: "its own page in a browser that names the origin only", headers: { origin: baseUrl }, taken: true },
    {
      what: "its own page, whatever the Origin behind a proxy",
      headers: { "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:3000" },
      taken: true
    },
    { what: "another site", headers: { "sec-fetch-site": "cross-site" }, taken: false },
    { what: "another origin of the site", headers: { "sec-fetch-site": "same-site" }, taken: false },
    { what: "no page", headers: { "sec-fetch-site": "none" }, taken: false },
    {
      what: "another site that lies in Origin",
      headers: { "sec-fetch-site": "cross-site", origin: baseUrl },
      taken: false
    },
    { what: "another origin", headers: { origin: "https://evil.example" }, taken: false },
    { what: "another port", headers: { origin: `${baseUrl}:8443` }, taken: false },
    { what: "plain HTTP", headers: { origin: baseUrl.replace("https", "http") }, taken: false },
    { what: "a sandboxed page", headers: { origin: "null" }, taken: false },
    { what: "somebody who does not say", headers: {}, taken: false }
  ]

  layer(repoLayer)((it) => {
    for (const { what, headers, taken } of origins) {
      it.effect(`is ${taken ? "taken" : "refused"} from ${what}`, () =>
        Effect.gen(function* () {
          const url = yield* startOnDatabase()
          const { cookie, workspaceId } = yield* makeTeam
          const id = yield* notify(workspaceId)
          const requests = [
            ["POST", `/v1/notifications/${id}/read`],
            ["POST", "/v1/notifications/read-all"],
            ["DELETE", "/v1/session"]
          ] as const
          for (const [method, path] of requests) {
            const { status, body } = yield* sendJson(`${url}${path}`, method, { cookie, ...headers })
            assert.deepStrictEqual([status, body.code], taken ? [200, undefined] : [403, "cross_origin"], path)
          }
          assert.strictEqual(yield* isOpen(url, cookie), !taken)
        })
      )
    }

    it.effect("does not keep anybody from reading", () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const { cookie } = yield* makeTeam
        const { status } = yield* sendJson(`${url}/v1/notifications`, "GET", { cookie, "sec-fetch-site": "cross-site" })
        assert.strictEqual(status, 200)
      })
    )

    it.effect("is no matter of keys, which pages don't have by themselves", () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const { cookie, workspaceId } = yield* makeTeam
        const { key } = yield* makeKey(workspaceId)
        const { status } = yield* sendJson(
          `${url}/v1/posts`,
          "POST",
          { cookie, ...keyHeaders(key), "sec-fetch-site": "cross-site" },
          { content: "Hello", platforms: ["twitter"] }
        )
        assert.strictEqual(status, 201)
      })
    )

    it.effect.each([
      { headers: {}, status: 200 },
      { headers: { "sec-fetch-site": "same-origin" }, status: 200 },
      { headers: { "sec-fetch-site": "cross-site" }, status: 403 },
      { headers: { origin: "https://evil.example" }, status: 403 }
    ])("keeps other sites from logging a browser in: $headers is a $status", ({ headers, status }) =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const { email } = yield* makeUser
        const answer = yield* sendJson(`${url}/v1/session`, "POST", headers, { email, password })
        assert.strictEqual(answer.status, status)
        assert.lengthOf(answer.headers.getSetCookie(), status === 200 ? 1 : 0)
      })
    )
  })
})
