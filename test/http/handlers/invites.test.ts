import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { maxInvites } from "../../../src/domain/people/member.ts"
import type { Role } from "../../../src/domain/people/role.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { errorPaths, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen, logIn, makeUser, password, returnedCookie } from "../../support/http/logIn.ts"
import {
  adminOf,
  databaseServerLayer,
  makeMember,
  makeSession,
  makeTeam,
  startOnDatabase
} from "../../support/http/team.ts"

const call = Effect.fnUntraced(function* (cookie: string, method: string, path = "", body?: unknown) {
  return yield* sendJson(`${yield* ServerUrl}/v1/invites${path}`, method, sessionHeaders(cookie), body)
})

const invite = Effect.fnUntraced(function* (cookie: string, email: string, role: Role = "editor") {
  const { body, status } = yield* call(cookie, "POST", "", { email, role })
  assert.strictEqual(status, 201)
  return { id: String(body.data.id), token: String(body.url).split("#")[1] ?? "" }
})

const accept = Effect.fnUntraced(function* (body: object, headers: Readonly<Record<string, string>> = {}) {
  return yield* sendJson(`${yield* ServerUrl}/v1/invites/accept`, "POST", headers, body)
})

const read = Effect.fnUntraced(function* (token: string) {
  return yield* sendJson(`${yield* ServerUrl}/v1/invites/read`, "POST", {}, { token })
})

let addresses = 0
const nextAddress = () => `invited${++addresses}@example.com`

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }))("invitations", (it) => {
  it.effect("Somebody without a user reads the invitation, chooses a password and is logged in", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, user, workspaceId } = yield* makeTeam
      const email = nextAddress()
      const created = yield* call(cookie, "POST", "", { email: email.toUpperCase(), role: "editor" })
      assert.strictEqual(created.body.data.email, email)
      assert.deepStrictEqual(created.body.data.created_by, { type: "user", id: user.id, name: user.email })
      assert.isTrue(created.body.url.startsWith(`${baseUrl}/invite#`))
      const token = created.body.url.split("#")[1]
      const listed = yield* call(cookie, "GET")
      assert.deepStrictEqual(listed.body.data, [created.body.data])
      assert.notInclude(listed.text, token)
      const shown = yield* read(token)
      assert.deepStrictEqual(shown.body.data, {
        email,
        role: "editor",
        workspace_name: shown.body.data.workspace_name,
        has_user: false
      })
      const accepted = yield* accept({ token, password })
      assert.strictEqual(accepted.status, 200)
      assert.deepStrictEqual(
        [accepted.body.data.email, accepted.body.data.workspace_id, accepted.body.data.role],
        [email, workspaceId, "editor"]
      )
      assert.isTrue(yield* isOpen(url, returnedCookie(accepted)))
      assert.strictEqual((yield* logIn(url, { email })).status, 200)
      const again = yield* accept({ token, password })
      assert.deepStrictEqual([again.status, again.body.code], [404, "not_found"])
    })
  )

  it.effect("The database does not contain the token", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { token } = yield* invite(cookie, nextAddress())
      const sql = yield* SqlClient.SqlClient
      assert.notInclude(JSON.stringify(yield* sql`SELECT i::text, encode(hash, 'escape') FROM invites i`), token)
    })
  )

  it.effect.each([
    { body: {}, paths: [["email"], ["role"]] },
    { body: { email: "nobody", role: "owner" }, paths: [["email"], ["role"]] },
    { body: { email: `${"a".repeat(320)}@example.com`, role: "viewer" }, paths: [["email"]] },
    ...["ａda@b.example", "ada@b.example\u200b", "a\u00adda@b.example", "adın@b.example", "ada@bücher.example"].map(
      (email) => ({ body: { email, role: "viewer" }, paths: [["email"]] })
    ),
    { body: { email: "a@b.example", role: "viewer", more: 1 }, paths: [["more"]] }
  ])("An invalid invitation gets a 400 that names every invalid field: $paths", ({ body, paths }) =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const refused = yield* call(cookie, "POST", "", body)
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(refused.body), paths)
    })
  )

  it.effect("A user whose address has letters beyond ASCII logs in, although nobody is invited with one", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { users } = yield* Repo
      const email = `ä${nextAddress()}`
      yield* users.create((yield* makeTeam).workspaceId, email, Redacted.make(password), "viewer")
      assert.strictEqual((yield* logIn(url, { email, password })).status, 200)
    })
  )

  it.effect("Without a password that may be chosen nobody becomes a user, and the invitation stays", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { token } = yield* invite(cookie, nextAddress())
      assert.strictEqual((yield* accept({ token })).body.code, "login_required")
      const short = yield* accept({ token, password: "short" })
      assert.deepStrictEqual([short.status, errorPaths(short.body)], [400, [["password"]]])
      assert.strictEqual((yield* accept({ token, password })).status, 200)
    })
  )

  it.effect("What is answered before somebody joins is the same whether the address has a user", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { user } = yield* makeTeam
      const answersTo = Effect.fnUntraced(function* (email: string) {
        const { token } = yield* invite(cookie, email)
        const answers = [yield* read(token), yield* accept({ token }), yield* accept({ token, password: "short" })]
        return answers.map(({ body, status }) => {
          const told = JSON.stringify({ ...body, request_id: undefined })
          return [status, told.replaceAll(email, "them")]
        })
      })
      const known = yield* answersTo(user.email)
      assert.deepStrictEqual(known, yield* answersTo(nextAddress()))
      assert.deepStrictEqual(
        known.map(([status]) => status),
        [200, 403, 400]
      )
    })
  )

  it.effect("A user accepts with their session, which is replaced by one in the workspace", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, workspaceId } = yield* makeTeam
      const { user, cookie: session } = yield* makeTeam
      const { token } = yield* invite(cookie, user.email.toUpperCase(), "viewer")
      const refused = yield* accept({ token })
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "login_required"])
      const accepted = yield* accept({ token }, sessionHeaders(session))
      assert.deepStrictEqual(
        [accepted.status, accepted.body.data.workspace_id, accepted.body.data.role],
        [200, workspaceId, "viewer"]
      )
      assert.deepStrictEqual([yield* isOpen(url, session), yield* isOpen(url, returnedCookie(accepted))], [false, true])
    })
  )

  it.effect("The session of another user does not accept an invitation, and one from another site is refused", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { user, cookie: session } = yield* makeTeam
      const { token } = yield* invite(cookie, user.email)
      const stranger = yield* accept({ token }, sessionHeaders(cookie))
      assert.deepStrictEqual([stranger.status, stranger.body.code], [403, "login_required"])
      const site = yield* accept({ token }, { cookie: session, origin: "https://evil.example" })
      assert.deepStrictEqual([site.status, site.body.code], [403, "cross_origin"])
      assert.strictEqual((yield* read(token)).status, 200)
    })
  )

  it.effect("A user who is no member of any workspace accepts with their password, of which ten wrong ones block", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie } = yield* makeTeam
      const user = yield* makeUser
      yield* sql`DELETE FROM members WHERE user_id = ${user.id}::uuid`
      const { token } = yield* invite(cookie, user.email)
      const wrong = yield* accept({ token, password: "a wrong and secret sentence" })
      assert.deepStrictEqual([wrong.status, wrong.body.code], [401, "unauthorized"])
      assert.strictEqual((yield* accept({ token, password })).status, 200)
    })
  )

  it.effect("Of several who accept at once one becomes the user", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { token } = yield* invite(cookie, nextAddress())
      const responses = yield* Effect.forEach(Array.from({ length: 4 }), () => accept({ token, password }), {
        concurrency: 4
      })
      assert.lengthOf(
        responses.filter(({ status }) => status === 200),
        1
      )
      assert.isTrue(responses.every(({ status }) => status === 200 || status === 404 || status === 403))
    })
  )

  it.effect("An invitation that was taken back, replaced or has expired is unknown", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const email = nextAddress()
      const first = yield* invite(cookie, email, "admin")
      const second = yield* invite(cookie, email, "viewer")
      assert.strictEqual((yield* read(first.token)).status, 404)
      assert.strictEqual((yield* read(second.token)).body.data.role, "viewer")
      assert.strictEqual((yield* call(cookie, "DELETE", `/${first.id}`)).status, 404)
      assert.deepStrictEqual((yield* call(cookie, "DELETE", `/${second.id}`)).body, {
        data: { id: second.id, deleted: true }
      })
      assert.strictEqual((yield* accept({ token: second.token, password })).status, 404)
      const third = yield* invite(cookie, email)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE invites SET expires_at = '1969-12-31T00:00:00Z' WHERE id = ${third.id}::uuid`
      assert.strictEqual((yield* read(third.token)).status, 404)
      assert.deepStrictEqual((yield* call(cookie, "GET")).body.data, [])
      yield* invite(cookie, nextAddress())
      assert.lengthOf(yield* sql`SELECT FROM invites WHERE id = ${third.id}::uuid`, 0)
    })
  )

  it.effect("A user whom the operator creates after the invitation was read has to log in to accept it", () =>
    Effect.gen(function* () {
      const { invites, users } = yield* Repo
      const { cookie, workspaceId } = yield* makeTeam
      const other = yield* makeTeam
      const email = nextAddress()
      const { token } = yield* invite(cookie, email)
      const passwordHash = yield* users.hashPassword(Redacted.make(password))
      yield* users.create(other.workspaceId, email, Redacted.make(password))
      const refused = yield* Effect.flip(invites.accept(Redacted.make(token), { passwordHash }))
      assert.strictEqual(refused._tag, "LoginRequired")
      assert.strictEqual((yield* accept({ token, password })).body.data.workspace_id, workspaceId)
    })
  )

  it.effect("A member can't be invited, and an invitation of somebody who became one meanwhile is refused", () =>
    Effect.gen(function* () {
      const { invites, members } = yield* Repo
      const { cookie, user, workspaceId } = yield* makeTeam
      const refused = yield* call(cookie, "POST", "", { email: user.email, role: "viewer" })
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_state"])
      const { user: other } = yield* makeTeam
      const { token } = yield* invite(cookie, other.email)
      yield* members.assign(workspaceId, other.email, "viewer")
      const error = yield* Effect.flip(invites.accept(Redacted.make(token), { userId: other.id }))
      assert.strictEqual(error._tag, "InvalidState")
    })
  )

  it.effect("A workspace has a limited number of invitations that wait, of which one may be replaced", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie, workspaceId } = yield* makeTeam
      yield* sql`INSERT INTO invites (id, workspace_id, hash, email, role, created_at, expires_at)
        SELECT gen_random_uuid(), ${workspaceId}::uuid, sha256(convert_to(n || ${workspaceId}, 'UTF8')), n || '@example.com',
          'viewer', '1970-01-01T00:00:00Z', '1970-01-04T00:00:00Z' FROM generate_series(1, ${maxInvites}::int) n`
      const refused = yield* call(cookie, "POST", "", { email: nextAddress(), role: "viewer" })
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "member_limit"])
      assert.isNotEmpty((yield* invite(cookie, "1@example.com")).token)
    })
  )

  it.effect("Another workspace's invitations are neither listed nor taken back", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { cookie: stranger } = yield* makeTeam
      const { id, token } = yield* invite(cookie, nextAddress())
      assert.deepStrictEqual((yield* call(stranger, "GET")).body.data, [])
      assert.strictEqual((yield* call(stranger, "DELETE", `/${id}`)).status, 404)
      assert.strictEqual((yield* read(token)).status, 200)
    })
  )

  it.effect("Somebody who is no admin by the time that their invitation is stored invites nobody", () =>
    Effect.gen(function* () {
      const { invites } = yield* Repo
      const { workspaceId } = yield* makeTeam
      for (const [member, refusal] of [
        [{ userId: (yield* makeMember(workspaceId, "editor")).id, workspaceId }, "RoleLost"],
        [{ ...adminOf(yield* makeTeam), workspaceId }, "NotMember"]
      ] as const) {
        const error = yield* Effect.flip(invites.create(member, nextAddress(), "admin"))
        assert.strictEqual(error._tag, refusal)
      }
      assert.deepStrictEqual(yield* invites.list(workspaceId), [])
    })
  )

  it.effect("Ten unknown invitations in a minute block the address, and known ones do not count", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const { invites } = yield* Repo
      const { token } = yield* invites.create(adminOf(yield* makeTeam), nextAddress(), "viewer")
      const readAt = (text: string) => sendJson(`${url}/v1/invites/read`, "POST", {}, { token: text })
      for (let attempt = 0; attempt < 12; attempt++) {
        assert.strictEqual((yield* readAt(Redacted.value(token))).status, 200)
      }
      const unknown = yield* Effect.forEach(Array.from({ length: 12 }), () => readAt("unknown"), { concurrency: 12 })
      assert.lengthOf(
        unknown.filter(({ status }) => status === 404),
        10
      )
      const refused = yield* readAt(Redacted.value(token))
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* readAt(Redacted.value(token))).status, 200)
    })
  )

  it.effect("The link of a viewer's own session gives no more than the invitation's role", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeTeam
      const { id } = yield* makeMember(workspaceId, "viewer")
      const session = yield* makeSession(id, workspaceId)
      const refused = yield* call(session, "POST", "", { email: nextAddress(), role: "admin" })
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "insufficient_role"])
    })
  )
})
