import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { databaseServerLayer, makeSession, makeTeam, notify } from "../../support/http/team.ts"
import { sessionLifetime } from "../../../src/domain/people/session.ts"
import { isOpen, logIn, makeUser, password, returnedCookie, setCookie } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"

// Not policed: passwords take most of its time, and belong to no workspace.

layer(databaseServerLayer())("sessions", (it) => {
  it.effect("Logging out ends the session and removes the cookie", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie } = yield* makeTeam
      const response = yield* sendJson(`${url}/v1/session`, "DELETE", sessionHeaders(cookie))
      assert.deepStrictEqual([response.status, response.body], [200, { data: { deleted: true } }])
      assert.match(
        setCookie(response),
        /^__Host-session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 .*; HttpOnly; Secure; SameSite=Lax$/
      )
      assert.isFalse(yield* isOpen(url, cookie))
      const again = yield* sendJson(`${url}/v1/session`, "DELETE", sessionHeaders(cookie))
      assert.strictEqual(again.status, 401)
    })
  )

  it.effect("Logging out everywhere ends all sessions of the user and no other user's", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, user, workspaceId } = yield* makeTeam
      const elsewhere = yield* makeSession(user.id, workspaceId)
      const { cookie: colleague } = yield* makeTeam
      const misspelled = yield* sendJson(`${url}/v1/session?everywhere=yes`, "DELETE", sessionHeaders(cookie))
      assert.strictEqual(misspelled.status, 400)
      assert.deepStrictEqual(errorPaths(misspelled.body), [["everywhere"]])
      const response = yield* sendJson(`${url}/v1/session?everywhere=true`, "DELETE", sessionHeaders(cookie))
      assert.deepStrictEqual([response.status, response.body], [200, { data: { deleted: true } }])
      const open = yield* Effect.forEach([cookie, elsewhere, colleague], (session) => isOpen(url, session))
      assert.deepStrictEqual(open, [false, false, true])
    })
  )

  it.effect("Setting another password ends the user's sessions, and only that password is accepted", () =>
    Effect.gen(function* () {
      const { users } = yield* Repo
      const url = yield* ServerUrl
      const { email } = yield* makeUser
      const cookie = returnedCookie(yield* logIn(url, { email }))
      yield* users.setPassword(email.toUpperCase(), Redacted.make("another secret sentence"))
      assert.isFalse(yield* isOpen(url, cookie))
      assert.strictEqual((yield* logIn(url, { email })).status, 401)
      assert.strictEqual((yield* logIn(url, { email, password: "another secret sentence" })).status, 200)
      const unknown = yield* Effect.flip(users.setPassword("nobody@example.com", Redacted.make(password)))
      assert.strictEqual(unknown.message, "There is no user nobody@example.com")
    })
  )

  it.effect("A session ends two weeks after log-in", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie } = yield* makeTeam
      assert.isTrue(yield* isOpen(url, cookie))
      yield* TestClock.adjust(sessionLifetime)
      assert.isFalse(yield* isOpen(url, cookie))
    })
  )

  it.effect("A session is ignored if the request has a key, whose workspace and paging apply", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
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
