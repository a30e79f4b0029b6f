import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { type ClientResponse, errorPaths, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen, logIn, makeUser, password, returnedCookie } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeMember, makeSession, makeTeam, startOnDatabase } from "../../support/http/team.ts"

// Not policed: passwords take most of its time, and belong to no workspace.

const other = "another secret sentence"

const changeWorkspace = (url: string, cookie: string, workspace_id: string) =>
  sendJson(`${url}/v1/session/workspace`, "PUT", sessionHeaders(cookie), { workspace_id })

const changePassword = (url: string, cookie: string, current: string, next = other, more: object = {}) =>
  sendJson(
    `${url}/v1/session/password`,
    "PUT",
    { ...sessionHeaders(cookie), ...more },
    { current_password: current, new_password: next }
  )

const whoAmI = (url: string, cookie: string): Effect.Effect<ClientResponse> =>
  sendJson(`${url}/v1/me`, "GET", { cookie })

/** A viewer of one workspace who is an editor in another one. */
const makeMemberOfTwo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const first = yield* makeWorkspace([])
  const second = yield* makeWorkspace([])
  const user = yield* makeMember(first, "viewer")
  yield* sql`INSERT INTO members (workspace_id, user_id, role, created_at)
    VALUES (${second}::uuid, ${user.id}::uuid, 'editor', now())`
  return { user, first, second, cookie: yield* makeSession(user.id, first) }
})

layer(databaseServerLayer())("PUT /v1/session/workspace", (it) => {
  it.effect("Changing the workspace replaces the session, with another cookie and the same end", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, second, user } = yield* makeMemberOfTwo
      yield* TestClock.adjust("10 minutes")
      const response = yield* changeWorkspace(url, cookie, second)
      assert.deepStrictEqual(
        [response.status, response.body],
        [
          200,
          {
            data: {
              user_id: user.id,
              email: user.email,
              workspace_id: second,
              role: "editor",
              expires_at: "1970-01-15T00:00:00.000Z"
            }
          }
        ]
      )
      const changed = returnedCookie(response)
      assert.deepStrictEqual([yield* isOpen(url, cookie), yield* isOpen(url, changed)], [false, true])
      const { body } = yield* whoAmI(url, changed)
      assert.deepStrictEqual([body.data.workspace.id, body.data.caller.role], [second, "editor"])
    })
  )

  it.effect("A workspace that one is not a member of, or that does not exist, gets a 400 and the session stays", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, first } = yield* makeMemberOfTwo
      const { workspaceId } = yield* makeTeam
      for (const id of [workspaceId, "01a1fc17-dc2e-777d-ad63-5a461a1bba44"]) {
        const refused = yield* changeWorkspace(url, cookie, id)
        assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
        assert.deepStrictEqual(errorPaths(refused.body), [["workspace_id"]])
        assert.lengthOf(refused.headers.getSetCookie(), 0)
      }
      assert.strictEqual((yield* whoAmI(url, cookie)).body.data.workspace.id, first)
    })
  )

  it.effect("Of many changes of one session at once one succeeds, and the others find the session ended", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, second, user } = yield* makeMemberOfTwo
      const attempts = Array.from({ length: 8 }, () => changeWorkspace(url, cookie, second))
      const statuses = (yield* Effect.all(attempts, { concurrency: 8 })).map(({ status }) => status)
      assert.sameMembers(statuses, [200, ...Array.from({ length: 7 }, () => 401)])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM sessions WHERE user_id = ${user.id}::uuid`, 1)
    })
  )
})

layer(databaseServerLayer())("PUT /v1/session/password", (it) => {
  it.effect("Changing the password ends the other sessions and replaces this one", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const user = yield* makeUser
      const cookie = returnedCookie(yield* logIn(url, user))
      const elsewhere = yield* makeSession(user.id, user.workspaceId)
      const response = yield* changePassword(url, cookie, password)
      assert.deepStrictEqual([response.status, response.body], [200, { data: { changed: true } }])
      const open = yield* Effect.forEach([cookie, elsewhere, returnedCookie(response)], (one) => isOpen(url, one))
      assert.deepStrictEqual(open, [false, false, true])
      assert.strictEqual((yield* logIn(url, user)).status, 401)
      assert.strictEqual((yield* logIn(url, { email: user.email, password: other })).status, 200)
    })
  )

  it.effect.each([
    { why: "a wrong current password", current: "wrong", next: other, path: "current_password" },
    { why: "a short password", current: password, next: "short", path: "new_password" },
    { why: "a password with a NUL", current: password, next: `${other}\0`, path: "new_password" },
    { why: "a password that is too long", current: password, next: "x".repeat(1025), path: "new_password" }
  ])("With $why the response is a 400 that names it, and nothing changes", ({ current, next, path }) =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const user = yield* makeUser
      const cookie = yield* makeSession(user.id, user.workspaceId)
      const refused = yield* changePassword(url, cookie, current, next)
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(refused.body), [[path]])
      assert.isTrue(yield* isOpen(url, cookie))
      assert.strictEqual((yield* logIn(url, user)).status, 200)
    })
  )

  it.effect("Ten wrong passwords for a user in a minute block the eleventh from whatever address", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ trustProxy: "on" })
      const user = yield* makeUser
      const cookie = yield* makeSession(user.id, user.workspaceId)
      const change = (index: number, current: string) =>
        changePassword(url, cookie, current, other, { "x-forwarded-for": `198.51.100.${index}` })
      const wrong = yield* Effect.forEach(Array.from({ length: 10 }).keys(), (index) => change(index, "wrong"))
      assert.isTrue(wrong.every(({ status }) => status === 400))
      const refused = yield* change(11, password)
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* change(11, password)).status, 200)
    })
  )

  it.effect("Wrong passwords count together with those of log-in from the same address", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const user = yield* makeUser
      const cookie = yield* makeSession(user.id, user.workspaceId)
      yield* Effect.forEach(Array.from({ length: 10 }), () => logIn(url, { email: user.email, password: "wrong" }))
      assert.strictEqual((yield* changePassword(url, cookie, password)).status, 429)
    })
  )

  it.effect("Of two changes at once one succeeds", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const user = yield* makeUser
      const cookies = [yield* makeSession(user.id, user.workspaceId), yield* makeSession(user.id, user.workspaceId)]
      const responses = yield* Effect.forEach(cookies, (cookie) => changePassword(url, cookie, password), {
        concurrency: 2
      })
      assert.strictEqual(responses.filter(({ status }) => status === 200).length, 1)
    })
  )
})
