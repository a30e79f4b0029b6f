import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { plan } from "../../support/database/fixtures.ts"
import { scopeAuthority } from "../../../src/domain/people/authority.ts"
import { maxMembers } from "../../../src/domain/people/member.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const call = Effect.fnUntraced(function* (cookie: string, method: string, path: string, body?: unknown) {
  return yield* sendJson(`${yield* ServerUrl}/v1/members${path}`, method, sessionHeaders(cookie), body)
})

layer(databaseServerLayer())("members", (it) => {
  it.effect("An admin lists the members, in the order in which they joined", () =>
    Effect.gen(function* () {
      const { cookie, user, workspaceId } = yield* makeTeam
      const viewer = yield* makeMember(workspaceId, "viewer")
      const { body, status } = yield* call(cookie, "GET", "")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        body.data.map(({ user_id, email, role }: Record<string, unknown>) => ({ id: user_id, email, role })),
        [
          { ...user, role: "admin" },
          { ...viewer, role: "viewer" }
        ]
      )
    })
  )

  it.effect(
    "Members that an operator added beyond what invitations may are listed too, so that they can be removed",
    () =>
      Effect.gen(function* () {
        const { cookie, workspaceId } = yield* makeTeam
        const sql = yield* SqlClient.SqlClient
        yield* sql`WITH added AS (
          INSERT INTO users (id, email, password, created_at)
          SELECT gen_random_uuid(), 'many' || n || '@example.com', '', now() FROM generate_series(1, ${maxMembers}::int) n
          RETURNING id
        )
        INSERT INTO members (workspace_id, user_id, created_at) SELECT ${workspaceId}::uuid, id, now() FROM added`
        const { body } = yield* call(cookie, "GET", "")
        assert.lengthOf(body.data, maxMembers + 1)
      })
  )

  it.effect("An address whose latest mail was refused is marked, until mail arrives", () =>
    Effect.gen(function* () {
      const { cookie, user, workspaceId } = yield* makeTeam
      const sql = yield* SqlClient.SqlClient
      const end = (status: string, error: string | null, day: number) => sql`
        INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, type, notification_ids, count, status, due_at,
          error, created_at, ended_at)
        VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'mail', ${user.id}::uuid, 'post.failed', '{}', 1, ${status},
          now(), ${error}, now(), now() + ${day}::int * interval '1 day')`
      const error = Effect.map(call(cookie, "GET", ""), ({ body }) => body.data[0].mail_error)
      assert.isNull(yield* error)
      yield* end("failed", "The mail server answered: 550 No such user here", 0)
      assert.strictEqual(yield* error, "The mail server answered: 550 No such user here")
      yield* end("dropped", "Nobody needs it any more", 1)
      assert.strictEqual(yield* error, "The mail server answered: 550 No such user here")
      yield* end("sent", null, 2)
      assert.isNull(yield* error)
    })
  )

  it.effect("A changed role takes effect at once, in sessions that are open", () =>
    Effect.gen(function* () {
      const { cookie, workspaceId } = yield* makeTeam
      const { id } = yield* makeMember(workspaceId, "viewer")
      const session = yield* makeSession(id, workspaceId)
      assert.strictEqual((yield* call(session, "GET", "")).status, 403)
      const { body, status } = yield* call(cookie, "PATCH", `/${id}`, { role: "admin" })
      assert.deepStrictEqual([status, body.data.user_id, body.data.role], [200, id, "admin"])
      assert.strictEqual((yield* call(session, "GET", "")).status, 200)
      yield* call(session, "PATCH", `/${id}`, { role: "viewer" })
      assert.strictEqual((yield* call(session, "GET", "")).status, 403)
    })
  )

  it.effect("The last admin can neither be demoted nor removed, not even by themself", () =>
    Effect.gen(function* () {
      const { cookie, user, workspaceId } = yield* makeTeam
      yield* makeMember(workspaceId, "editor")
      const refused = [
        yield* call(cookie, "PATCH", `/${user.id}`, { role: "editor" }),
        yield* call(cookie, "DELETE", `/${user.id}`)
      ]
      for (const { body, status } of refused) assert.deepStrictEqual([status, body.code], [400, "invalid_state"])
      assert.strictEqual((yield* call(cookie, "PATCH", `/${user.id}`, { role: "admin" })).status, 200)
    })
  )

  it.effect("Of admins who all demote or remove each other at the same moment one stays", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const { cookie, user, workspaceId } = yield* makeTeam
        const other = yield* makeMember(workspaceId, "admin")
        const session = yield* makeSession(other.id, workspaceId)
        yield* Effect.all(
          [
            call(cookie, "PATCH", `/${other.id}`, { role: "viewer" }),
            call(session, "PATCH", `/${user.id}`, { role: "viewer" }),
            call(cookie, "DELETE", `/${user.id}`),
            call(session, "DELETE", `/${other.id}`)
          ],
          { concurrency: 4 }
        )
        const members = yield* (yield* Repo).members.list(workspaceId)
        assert.lengthOf(
          members.filter(({ role }) => role === "admin"),
          1
        )
      }
    })
  )

  it.effect("A removed member has no session in the workspace any more, and stays named as who created a post", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, workspaceId } = yield* makeTeam
      const { id, email } = yield* makeMember(workspaceId, "editor")
      const session = yield* makeSession(id, workspaceId)
      const { posts } = yield* Repo
      const post = yield* posts.create(
        workspaceId,
        plan(null),
        scopeAuthority({ author: { type: "user", id }, workspaceId }, "posts:write")
      )
      const { body, status } = yield* call(cookie, "DELETE", `/${id}`)
      assert.deepStrictEqual([status, body], [200, { data: { user_id: id, deleted: true, revoked_keys: [] } }])
      assert.isFalse(yield* isOpen(url, session))
      const shown = yield* sendJson(`${url}/v1/posts/${post.id}`, "GET", sessionHeaders(cookie))
      assert.deepStrictEqual(shown.body.data.created_by, { type: "user", id, name: email })
      assert.strictEqual((yield* call(cookie, "DELETE", `/${id}`)).status, 404)
    })
  )

  it.effect("The keys of a member who is removed work on, unless they are revoked with the member", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, workspaceId } = yield* makeTeam
      const works = (key: string) =>
        Effect.map(sendJson(`${url}/v1/me`, "GET", keyHeaders(key)), ({ status }) => status === 200)
      for (const [query, revokes] of [
        ["", false],
        ["?revoke_keys=false", false],
        ["?revoke_keys=true", true]
      ] as const) {
        const { id } = yield* makeMember(workspaceId)
        const session = yield* makeSession(id, workspaceId)
        const others = yield* makeKey(workspaceId)
        const create = sendJson(`${url}/v1/keys`, "POST", sessionHeaders(session), { name: "A key" })
        const [first, second] = [yield* create, yield* create]
        yield* sendJson(`${url}/v1/keys/${second.body.data.id}`, "DELETE", sessionHeaders(session))
        assert.isTrue(yield* works(first.body.secret))
        const { body } = yield* call(cookie, "DELETE", `/${id}${query}`)
        assert.deepStrictEqual(body.data.revoked_keys, revokes ? [first.body.data.id] : [])
        assert.strictEqual(yield* works(first.body.secret), !revokes)
        assert.isTrue(yield* works(others.key))
      }
    })
  )

  it.effect("Who is removed from one workspace keeps in another one their role, keys, sessions and invitations", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { members } = yield* Repo
      const [left, kept] = [yield* makeTeam, yield* makeTeam]
      const { id, email } = yield* makeMember(left.workspaceId)
      yield* members.assign(kept.workspaceId, email, "admin")
      const makeIn = Effect.fnUntraced(function* (workspaceId: typeof left.workspaceId, name: string) {
        const session = yield* makeSession(id, workspaceId)
        const post = (path: string, body: unknown) =>
          sendJson(`${url}/v1${path}`, "POST", sessionHeaders(session), body)
        const key = yield* post("/keys", { name: "A key" })
        const invite = yield* post("/invites", { email: `${name}.${email}`, role: "viewer" })
        return { session, key: String(key.body.secret), token: String(invite.body.url).split("#")[1] }
      })
      const works = Effect.fnUntraced(function* ({ key, session, token }: Effect.Success<ReturnType<typeof makeIn>>) {
        const password = "a long and secret sentence"
        const accepted = yield* sendJson(`${url}/v1/invites/accept`, "POST", {}, { token, password })
        const called = yield* sendJson(`${url}/v1/me`, "GET", keyHeaders(key))
        return { key: called.status === 200, session: yield* isOpen(url, session), invite: accepted.status === 200 }
      })
      const [inLeft, inKept] = [yield* makeIn(left.workspaceId, "left"), yield* makeIn(kept.workspaceId, "kept")]
      const { body } = yield* call(left.cookie, "DELETE", `/${id}?revoke_keys=true`)
      assert.lengthOf(body.data.revoked_keys, 1)
      assert.deepStrictEqual(yield* works(inLeft), { key: false, session: false, invite: false })
      assert.deepStrictEqual(yield* works(inKept), { key: true, session: true, invite: true })
      const found = (yield* members.list(kept.workspaceId)).find(({ userId }) => userId === id)
      assert.strictEqual(found?.role, "admin")
    })
  )

  it.effect.each(["removed", "demoted", "demoted by the operator"] as const)(
    "The links of an admin who is %s make nobody a member, and those of the other admins do",
    (end) =>
      Effect.gen(function* () {
        const { members } = yield* Repo
        const { cookie, workspaceId } = yield* makeTeam
        const { id, email } = yield* makeMember(workspaceId)
        const invite = Effect.fnUntraced(function* (by: string, name: string) {
          const body = { email: `${name}.${email}`, role: "admin" }
          const created = yield* sendJson(`${yield* ServerUrl}/v1/invites`, "POST", sessionHeaders(by), body)
          return String(created.body.url).split("#")[1]
        })
        const session = yield* makeSession(id, workspaceId)
        const theirs = yield* invite(session, "theirs")
        yield* invite(session, "taken.over")
        const others = [yield* invite(cookie, "other"), yield* invite(cookie, "taken.over")]
        if (end === "removed") yield* call(cookie, "DELETE", `/${id}`)
        else if (end === "demoted") yield* call(cookie, "PATCH", `/${id}`, { role: "editor" })
        else yield* members.assign(workspaceId, email, "viewer")
        const accept = Effect.fnUntraced(function* (token: string | undefined) {
          const accepted = { token, password: "a long and secret sentence" }
          return (yield* sendJson(`${yield* ServerUrl}/v1/invites/accept`, "POST", {}, accepted)).status
        })
        assert.deepStrictEqual(yield* Effect.forEach([theirs, ...others], accept), [404, 200, 200])
      })
  )

  it.effect("Whoever is no admin removes only themself, which ends their session", () =>
    Effect.gen(function* () {
      const { user, workspaceId } = yield* makeTeam
      const { id } = yield* makeMember(workspaceId, "viewer")
      const session = yield* makeSession(id, workspaceId)
      const refused = yield* call(session, "DELETE", `/${user.id}`)
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "insufficient_role"])
      const left = yield* call(session, "DELETE", `/${id}`)
      assert.strictEqual(left.status, 200)
      assert.match(left.headers.getSetCookie()[0] ?? "", /^__Host-session=; Max-Age=0/)
      assert.isFalse(yield* isOpen(yield* ServerUrl, session))
    })
  )
})
