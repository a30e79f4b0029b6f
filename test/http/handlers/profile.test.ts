import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { sessionLifetime } from "../../../src/domain/people/session.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeMember, makeSession, makeTeam, notify } from "../../support/http/team.ts"

// Not policed: a profile, and the sessions of a person, are the same in each workspace.

const read = Effect.fnUntraced(function* (cookie: string) {
  const { body } = yield* sendJson(`${yield* ServerUrl}/v1/session/profile`, "GET", { cookie })
  return body.data
})

const change = Effect.fnUntraced(function* (cookie: string, changes: object) {
  return yield* sendJson(`${yield* ServerUrl}/v1/session/profile`, "PATCH", sessionHeaders(cookie), changes)
})

const listSessions = Effect.fnUntraced(function* (cookie: string) {
  const { body } = yield* sendJson(`${yield* ServerUrl}/v1/session/sessions`, "GET", { cookie })
  return body.data
})

const end = Effect.fnUntraced(function* (cookie: string, id = "") {
  return yield* sendJson(`${yield* ServerUrl}/v1/session/sessions${id}`, "DELETE", sessionHeaders(cookie))
})

layer(databaseServerLayer())("profile", (it) => {
  it.effect("A person's profile begins without a name, in the browser's zone, with a clock of 24 hours", () =>
    Effect.gen(function* () {
      const { cookie, user } = yield* makeTeam
      assert.deepStrictEqual(yield* read(cookie), {
        user_id: user.id,
        email: user.email,
        name: null,
        theme: "system",
        hours: 24,
        week_starts_on: "monday",
        time_zone: null,
        muted_notifications: []
      })
    })
  )

  it.effect("A profile keeps what is changed of it, and what is null or absent otherwise stays", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const changes = {
        name: "Ada Lovelace",
        theme: "dark",
        hours: 12,
        week_starts_on: "sunday",
        time_zone: "Asia/Tokyo",
        muted_notifications: ["post.published"]
      }
      const { body, status } = yield* change(cookie, changes)
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, changes)
      const second = yield* change(cookie, { name: null, theme: null, time_zone: null })
      assert.deepInclude(second.body.data, { ...changes, name: null, time_zone: null })
      assert.deepStrictEqual((yield* change(cookie, {})).body, second.body)
      assert.deepStrictEqual(yield* read(cookie), second.body.data)
    })
  )

  it.effect("Every member of a profile that can't be is named, and nothing is changed", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const before = yield* read(cookie)
      const wrong = yield* change(cookie, {
        name: " Ada",
        theme: "blue",
        hours: 10,
        week_starts_on: "tuesday",
        time_zone: "Europe/Atlantis",
        muted_notifications: ["post.failed"],
        email: "eve@example.com"
      })
      assert.strictEqual(wrong.status, 400)
      assert.sameDeepMembers(errorPaths(wrong.body), [
        ["name"],
        ["theme"],
        ["hours"],
        ["week_starts_on"],
        ["time_zone"],
        ["muted_notifications", 0],
        ["email"]
      ])
      assert.deepStrictEqual(yield* read(cookie), before)
    })
  )

  it.effect("What a later version has stored, and this one does not know, is the default", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie, user } = yield* makeTeam
      yield* sql`UPDATE users SET name = '@', theme = 'sepia', hours = 10, week_starts_on = 'friday',
        time_zone = 'Mars/Olympus', muted_notifications = '{post.imagined,post.published}' WHERE id = ${user.id}::uuid`
      const known = {
        name: "@",
        theme: "system",
        hours: 24,
        week_starts_on: "monday",
        time_zone: null,
        muted_notifications: ["post.published"]
      }
      assert.deepInclude(yield* read(cookie), known)
      const { body, status } = yield* change(cookie, { hours: 12 })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { ...known, hours: 12 })
    })
  )

  it.effect.each([
    "",
    "   ",
    "Ada\nLovelace",
    "Ada\u202E",
    "Ada\u200B",
    "\u3164",
    "\u2800",
    "boss@acme.example",
    "a".repeat(101),
    "\uD800",
    "Ada\0"
  ])(
    "A name that is blank, too long, an address, of several lines or with invisible characters is refused: %j",
    (name) =>
      Effect.gen(function* () {
        const { cookie } = yield* makeTeam
        const { body, status } = yield* change(cookie, { name })
        assert.deepStrictEqual([status, new Set(errorPaths(body).flat())], [400, new Set(["name"])])
      })
  )

  it.effect.each(["+02:00", "GMT\0", "x".repeat(1_000_000), "../../etc/localtime", ""])(
    "A time zone is one of the IANA database, and a long one is refused without looking it up",
    (time_zone) =>
      Effect.gen(function* () {
        const { cookie } = yield* makeTeam
        const { status } = yield* change(cookie, { time_zone })
        assert.include([400, 413], status)
      })
  )

  it.effect("The time zone of a profile is stored in its usual spelling, and an older row is shown in it", () =>
    Effect.gen(function* () {
      const { cookie, user } = yield* makeTeam
      assert.strictEqual(
        (yield* change(cookie, { time_zone: "asia/ho_chi_minh" })).body.data.time_zone,
        "Asia/Ho_Chi_Minh"
      )
      assert.strictEqual((yield* read(cookie)).time_zone, "Asia/Ho_Chi_Minh")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE users SET time_zone = 'europe/berlin' WHERE id = ${user.id}::uuid`
      assert.strictEqual((yield* read(cookie)).time_zone, "Europe/Berlin")
    })
  )

  it.effect("A person's name is in their own me, for admins among the members, and with what the person has made", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key, user } = yield* makeTeam
      yield* change(cookie, { name: "Ada Lovelace" })
      const me = yield* sendJson(`${url}/v1/me`, "GET", { cookie })
      assert.deepInclude(me.body.data.caller, { name: "Ada Lovelace", email: user.email })
      const members = yield* sendJson(`${url}/v1/members`, "GET", { cookie })
      assert.deepInclude(members.body.data[0], { name: "Ada Lovelace", email: user.email })
      const post = { content: "Hello", platforms: ["twitter"], status: "draft" }
      yield* sendJson(`${url}/v1/posts`, "POST", sessionHeaders(cookie), post)
      const { body } = yield* sendJson(`${url}/v1/posts`, "GET", keyHeaders(key))
      assert.deepStrictEqual(body.data[0].created_by, { type: "user", id: user.id, name: "Ada Lovelace" })
    })
  )

  it.effect("A profile is a person's own: an API key has none, and another origin can't change it", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key } = yield* makeTeam
      for (const path of ["profile", "sessions"]) {
        assert.strictEqual((yield* sendJson(`${url}/v1/session/${path}`, "GET", keyHeaders(key))).status, 403)
      }
      const foreign = { ...sessionHeaders(cookie), origin: "https://evil.example" }
      const changed = yield* sendJson(`${url}/v1/session/profile`, "PATCH", foreign, { name: "Eve" })
      assert.strictEqual(changed.status, 403)
      assert.strictEqual((yield* sendJson(`${url}/v1/session/sessions`, "DELETE", foreign)).status, 403)
      assert.isNull((yield* read(cookie)).name)
    })
  )

  it.effect("What somebody has muted counts as read for them, and for nobody else", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, workspaceId } = yield* makeTeam
      const colleague = yield* makeMember(workspaceId)
      const theirs = yield* makeSession(colleague.id, workspaceId)
      yield* change(cookie, { muted_notifications: ["post.published"] })
      yield* notify(workspaceId)
      const list = (who: string) => sendJson(`${url}/v1/notifications`, "GET", { cookie: who })
      assert.isTrue((yield* list(cookie)).body.data[0].read)
      assert.isFalse((yield* list(theirs)).body.data[0].read)
      const readAll = (who: string) => sendJson(`${url}/v1/notifications/read-all`, "POST", sessionHeaders(who))
      assert.deepStrictEqual((yield* readAll(cookie)).body.data, { updated: 0 })
      assert.deepStrictEqual((yield* readAll(theirs)).body.data, { updated: 1 })
      yield* change(cookie, { muted_notifications: [] })
      assert.isTrue((yield* list(cookie)).body.data[0].read)
    })
  )
})

layer(databaseServerLayer())("sessions of a person", (it) => {
  it.effect(
    "The list of sessions has the request's own first, with workspace, browser and times, and no other person's",
    () =>
      Effect.gen(function* () {
        const { sessions } = yield* Repo
        const { cookie, user, workspaceId } = yield* makeTeam
        yield* makeTeam
        yield* TestClock.adjust("1 minute")
        const now = DateTime.formatIso(yield* DateTime.now)
        yield* sessions.open({ userId: user.id, workspaceId }, { userAgent: `Firefox\0${"x".repeat(500)}` })
        const [own, other, ...rest] = yield* listSessions(cookie)
        assert.deepStrictEqual(rest, [])
        assert.deepInclude(own, { current: true, user_agent: null })
        assert.deepInclude(other, {
          current: false,
          created_at: now,
          workspace: { id: workspaceId, name: own.workspace.name }
        })
        assert.match(other.user_agent, /^Firefox\uFFFDx{392}$/)
        assert.notStrictEqual(own.id, other.id)
      })
  )

  it.effect("Another session is ended by its id, once; the request's own and another person's are not", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, user, workspaceId } = yield* makeTeam
      const stranger = yield* makeTeam
      const elsewhere = yield* makeSession(user.id, workspaceId)
      const [own, other] = yield* listSessions(cookie)
      const [foreign] = yield* listSessions(stranger.cookie)
      for (const id of [own.id, foreign.id]) assert.strictEqual((yield* end(cookie, `/${id}`)).status, 404)
      assert.deepStrictEqual((yield* end(cookie, `/${other.id}`)).body, { data: { ended: 1 } })
      assert.strictEqual((yield* end(cookie, `/${other.id}`)).status, 404)
      assert.strictEqual((yield* end(cookie, "/nothing")).status, 400)
      const open = yield* Effect.forEach([cookie, elsewhere, stranger.cookie], (each) => isOpen(url, each))
      assert.deepStrictEqual(open, [true, false, true])
    })
  )

  it.effect("All other sessions of a person end in every workspace, and those that had expired are not counted", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const first = yield* makeTeam
      const second = yield* makeTeam
      yield* TestClock.adjust(sessionLifetime)
      const { members } = yield* Repo
      yield* members.assign(second.workspaceId, first.user.email, "viewer")
      const cookie = yield* makeSession(first.user.id, first.workspaceId)
      const elsewhere = yield* makeSession(first.user.id, second.workspaceId)
      assert.deepStrictEqual((yield* end(cookie)).body, { data: { ended: 1 } })
      assert.deepStrictEqual([yield* isOpen(url, cookie), yield* isOpen(url, elsewhere)], [true, false])
      assert.deepStrictEqual((yield* end(cookie)).body, { data: { ended: 0 } })
    })
  )

  it.effect("A session keeps its id, browser and log-in time when it changes to another workspace", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { members } = yield* Repo
      const { cookie, user } = yield* makeTeam
      const other = yield* makeTeam
      yield* members.assign(other.workspaceId, user.email, "viewer")
      const [before] = yield* listSessions(cookie)
      yield* TestClock.adjust("1 hour")
      const body = { workspace_id: other.workspaceId }
      const moved = yield* sendJson(`${url}/v1/session/workspace`, "PUT", sessionHeaders(cookie), body)
      const [after] = yield* listSessions(moved.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "")
      assert.deepStrictEqual({ ...after, workspace: before.workspace }, before)
      assert.strictEqual(after.workspace.id, other.workspaceId)
    })
  )
})
