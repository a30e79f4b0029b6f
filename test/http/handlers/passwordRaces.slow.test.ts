import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { interleave } from "../../support/database/interleave.ts"
import { sendJson } from "../../support/http/client.ts"
import { logIn, makeUser, password } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { adminOf, databaseServerLayer, makeTeam } from "../../support/http/team.ts"

// Not policed: passwords take most of its time, and belong to no workspace.

/**
 * Changes a password like the operator's command, but without hashing, and leaves ending the sessions to the service.
 */
const changePassword = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE users SET password = password || ' ' WHERE email = ${email}`
})

const countSessions = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = ${email}`).length
})

layer(databaseServerLayer())("A password that is changed meanwhile", (it) => {
  it.effect("A log-in that has checked the password before it was changed opens no session", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { email } = yield* makeUser
      const [, response] = yield* interleave(changePassword(email), logIn(url, { email, password }))
      const { body, status } = yield* response
      assert.deepStrictEqual([status, body.code], [401, "unauthorized"])
      assert.strictEqual(yield* countSessions(email), 0)
    })
  )

  it.effect("A session that is opened while the password is changed ends with it", () =>
    Effect.gen(function* () {
      const { sessions, users } = yield* Repo
      const { email, id, workspaceId } = yield* makeUser
      const next = Redacted.make("another secret sentence")
      const changes: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        users.changePassword(id, Redacted.make(password), next),
        users.setPassword(email, next),
        sessions.endAll(id)
      ]
      for (const change of changes) {
        const [opened, changed] = yield* interleave(sessions.open({ userId: id, workspaceId }), change)
        assert.isTrue(Exit.isSuccess(changed))
        assert.isTrue(Option.isNone(yield* sessions.find(opened.token)))
      }
    })
  )

  it.effect("A session that moves to another workspace while all are ended does not stay open", () =>
    Effect.gen(function* () {
      const { sessions } = yield* Repo
      const { id, workspaceId } = yield* makeUser
      const { token } = yield* sessions.open({ userId: id, workspaceId })
      const [moved, ended] = yield* interleave(sessions.move(token, { userId: id, workspaceId }), sessions.endAll(id))
      assert.isTrue(Exit.isSuccess(ended))
      assert.isTrue(Option.isNone(yield* sessions.find(moved.token)))
    })
  )

  it.effect("A session that moves to another workspace while the others are ended does not stay open", () =>
    Effect.gen(function* () {
      const { sessions } = yield* Repo
      const { id: userId, workspaceId } = yield* makeUser
      const member = { userId, workspaceId }
      const { token: own } = yield* sessions.open(member)
      const { token } = yield* sessions.open(member)
      const holder = Option.getOrThrow(yield* sessions.find(own))
      const [moved, ended] = yield* interleave(sessions.move(token, member), sessions.endOthers(holder))
      assert.deepStrictEqual(yield* ended, 1)
      assert.isTrue(Option.isNone(yield* sessions.find(moved.token)))
      assert.isTrue(Option.isSome(yield* sessions.find(own)))
    })
  )

  it.effect("An invitation is not accepted with a password that is changed meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { invites, members } = yield* Repo
      const team = yield* makeTeam
      const { email } = yield* makeUser
      const { token } = yield* invites.create(adminOf(team), email, "viewer")
      const [, response] = yield* interleave(
        changePassword(email),
        sendJson(`${url}/v1/invites/accept`, "POST", {}, { token: Redacted.value(token), password })
      )
      const { body, status } = yield* response
      assert.deepStrictEqual([status, body.code], [401, "unauthorized"])
      assert.strictEqual(yield* countSessions(email), 0)
      assert.lengthOf(yield* members.list(team.workspaceId), 1)
    })
  )
})
