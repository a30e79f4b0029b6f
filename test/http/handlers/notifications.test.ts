import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { nextNotificationId } from "../../../src/domain/ids.ts"
import { maxUnreadSearched } from "../../../src/domain/notification.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { makeClient } from "../../support/http/typedClient.ts"
import { databaseServerLayer, makeSession, makeTeam, notify } from "../../support/http/team.ts"

interface Summary {
  readonly title: string
  readonly read: boolean
}

const summarize = (body: { readonly data: ReadonlyArray<Summary> }) => body.data.map(({ title, read }) => [title, read])

/** Creates a workspace with two members and some notifications, titled by their number. */
const start = Effect.fn("start")(function* (count: number) {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sql = yield* SqlClient.SqlClient
  const other = yield* makeTeam
  yield* sql`INSERT INTO members (workspace_id, user_id, created_at)
    VALUES (${team.workspaceId}::uuid, ${other.user.id}::uuid, to_timestamp(0))`
  const ids: Array<string> = []
  for (let index = 1; index <= count; index++) ids.push(yield* notify(team.workspaceId, String(index)))
  const path = (rest: string) => `${url}/v1/notifications${rest}`
  const secondCookie = yield* makeSession(other.user.id, team.workspaceId)
  return {
    ids,
    team,
    asKey: (rest = "") => sendJson(path(rest), "GET", keyHeaders(team.key)),
    asMember: (rest = "", method = "GET") => sendJson(path(rest), method, sessionHeaders(team.cookie)),
    asSecond: (rest = "", method = "GET") => sendJson(path(rest), method, sessionHeaders(secondCookie)),
    asStranger: (rest = "", method = "GET") => sendJson(path(rest), method, sessionHeaders(other.cookie))
  }
})

layer(databaseServerLayer())("notifications", (it) => {
  it.effect(
    "A type that only a later version knows is returned as it is stored, and clients of the contract read it",
    () =>
      Effect.gen(function* () {
        const { asKey, asMember, ids, team } = yield* start(2)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE notifications SET type = 'post.later', metadata = '{"a": {"b": [1, null]}}'
        WHERE id = ${ids[1] ?? ""}::uuid`
        for (const { body, status } of [yield* asKey(), yield* asMember(), yield* asMember()]) {
          assert.strictEqual(status, 200)
          assert.deepInclude(body.data[0], { type: "post.later", metadata: { a: { b: [1, null] } } })
          assert.strictEqual(body.data[1].type, "post.published")
        }
        const { notifications } = yield* makeClient(yield* ServerUrl, team.key)
        const { data } = yield* notifications.list({ query: {} })
        assert.deepStrictEqual(
          data.map(({ type }) => type),
          ["post.later", "post.published"]
        )
        const read = yield* asMember(`/${ids[1]}/read`, "POST")
        assert.deepInclude(read.body.data, { type: "post.later", read: true })
      })
  )

  it.effect("With a key notifications are listed by page number, 50 per page by default", () =>
    Effect.gen(function* () {
      const { asKey } = yield* start(51)
      const first = (yield* asKey()).body
      assert.deepInclude(first, { total: 51, page: 0, limit: 50, hasMore: true })
      assert.deepStrictEqual([first.data.length, first.data[0].title, first.data[49].title], [50, "51", "2"])
      const last = (yield* asKey("?page=1")).body
      assert.deepInclude(last, { total: 51, page: 1, limit: 50, hasMore: false })
      assert.deepStrictEqual(summarize(last), [["1", false]])
      assert.hasAllKeys(last, ["data", "total", "page", "limit", "hasMore"])
      assert.hasAllKeys(last.data[0], [
        "id",
        "title",
        "message",
        "type",
        "level",
        "read",
        "action_url",
        "metadata",
        "created_at"
      ])
    })
  )

  it.effect("With a session notifications are listed by cursor, 30 per page by default", () =>
    Effect.gen(function* () {
      const { asMember } = yield* start(31)
      const first = (yield* asMember()).body
      assert.hasAllKeys(first, ["data", "next_cursor", "hasMore"])
      assert.deepStrictEqual([first.data.length, first.data[0].title, first.hasMore], [30, "31", true])
      const last = (yield* asMember(`?cursor=${first.next_cursor}`)).body
      assert.deepStrictEqual([summarize(last), last.hasMore, last.next_cursor], [[["1", false]], false, null])
    })
  )

  it.effect("Pages by cursor neither skip nor repeat notifications while others arrive", () =>
    Effect.gen(function* () {
      const { asMember, team } = yield* start(4)
      const first = (yield* asMember("?limit=2")).body
      yield* notify(team.workspaceId, "new")
      const second = (yield* asMember(`?limit=2&cursor=${first.next_cursor}`)).body
      assert.deepStrictEqual(
        [...summarize(first), ...summarize(second)].map(([title]) => title),
        ["4", "3", "2", "1"]
      )
      assert.deepStrictEqual([second.hasMore, second.next_cursor], [false, null])
    })
  )

  it.effect("A page has at most 100 notifications with a key or a session", () =>
    Effect.gen(function* () {
      const { asKey, asMember } = yield* start(1)
      for (const list of [asKey, asMember]) {
        assert.strictEqual((yield* list("?limit=100")).status, 200)
        for (const limit of ["101", "0", "-1", "1.5", "x", ""]) {
          const { status, body } = yield* list(`?limit=${limit}`)
          assert.deepStrictEqual([status, body.code, body.errors[0].path], [400, "invalid_request", ["limit"]], limit)
        }
      }
    })
  )

  it.effect("`cursor` with a key or `page` with a session gets a 400 that names the parameter", () =>
    Effect.gen(function* () {
      const { asKey, asMember } = yield* start(2)
      const { next_cursor } = (yield* asMember("?limit=1")).body
      const withCursor = yield* asKey(`?cursor=${next_cursor}`)
      assert.deepStrictEqual([withCursor.status, withCursor.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(withCursor.body.errors, [
        { path: ["cursor"], message: "With an API key, pages go by number: use page" }
      ])
      const withPage = yield* asMember("?page=0")
      assert.deepStrictEqual([withPage.status, withPage.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(withPage.body.errors[0].path, ["page"])
      const broken = yield* asMember("?cursor=nonsense")
      assert.deepStrictEqual([broken.status, broken.body.errors[0].path], [400, ["cursor"]])
    })
  )

  it.effect("A notification is read for the member who read it, and for keys once any member has", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, ids } = yield* start(2)
      const marked = yield* asMember(`/${ids[0]}/read`, "POST")
      assert.strictEqual(marked.status, 200)
      assert.deepInclude(marked.body.data, { id: ids[0], title: "1", read: true, type: "post.published" })
      assert.deepStrictEqual(
        (yield* asMember(`/${ids[0]}/read`, "POST")).body,
        marked.body,
        "marking again changes nothing"
      )
      assert.deepStrictEqual(summarize((yield* asMember()).body), [
        ["2", false],
        ["1", true]
      ])
      assert.deepStrictEqual(summarize((yield* asSecond()).body), [
        ["2", false],
        ["1", false]
      ])
      assert.deepStrictEqual(summarize((yield* asKey()).body), [
        ["2", false],
        ["1", true]
      ])
    })
  )

  it.effect("`unread=true` lists what is not read, for a key what no member has read, and counts that alone", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, asStranger, ids } = yield* start(5)
      yield* asMember(`/${ids[1]}/read`, "POST")
      const titles = ({ data }: { readonly data: ReadonlyArray<Summary> }) => data.map(({ title }) => title)
      const first = (yield* asKey("?unread=true&limit=3")).body
      assert.deepStrictEqual([titles(first), first.total, first.hasMore], [["5", "4", "3"], 4, true])
      const last = (yield* asKey("?unread=true&limit=3&page=1")).body
      assert.deepStrictEqual([titles(last), last.total, last.hasMore], [["1"], 4, false])
      assert.isFalse([...first.data, ...last.data].some(({ read }: Summary) => read))
      const own = (yield* asMember("?unread=true&limit=3")).body
      assert.deepStrictEqual([titles(own), own.hasMore], [["5", "4", "3"], true])
      const rest = (yield* asMember(`?unread=true&limit=3&cursor=${own.next_cursor}`)).body
      assert.deepStrictEqual([titles(rest), rest.hasMore, rest.next_cursor], [["1"], false, null])
      assert.deepStrictEqual(titles((yield* asSecond("?unread=true")).body), ["5", "4", "3", "2", "1"])
      assert.deepStrictEqual((yield* asStranger("?unread=true")).body.data, [])
      assert.lengthOf((yield* asKey("?unread=false")).body.data, 5)
      assert.deepStrictEqual((yield* asKey("?unread=true&level=attention")).body.data, [])
      const refused = yield* asKey("?unread=yes")
      assert.deepStrictEqual([refused.status, refused.body.errors[0].path], [400, ["unread"]])
    })
  )

  it.effect("What was read at once, was muted or is settled is not among the unread", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, team } = yield* start(2)
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("1 hour")
      yield* asMember("/read-all", "POST")
      yield* TestClock.adjust("1 hour")
      yield* notify(team.workspaceId, "3")
      const settled = yield* notify(team.workspaceId, "4")
      yield* sql`UPDATE notifications SET type = 'post.failed' WHERE id = ${settled}::uuid`
      for (const list of [asKey, asMember]) {
        assert.deepStrictEqual(summarize((yield* list("?unread=true")).body), [["3", false]])
      }
      assert.lengthOf((yield* asSecond("?unread=true")).body.data, 3)
      yield* sql`UPDATE users SET muted_notifications = '{post.published}' WHERE id = ${team.user.id}::uuid`
      assert.deepStrictEqual((yield* asMember("?unread=true")).body.data, [])
      assert.strictEqual((yield* asKey("?unread=true")).body.total, 1)
    })
  )

  it.effect("The unread are searched among the latest notifications only, however many there are", () =>
    Effect.gen(function* () {
      const { asKey, asMember, ids } = yield* start(2)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
        SELECT gen_random_uuid(), workspace_id, type, 'Earlier', message, metadata, created_at FROM notifications
        CROSS JOIN generate_series(1, ${maxUnreadSearched}::int) WHERE id = ${ids[0] ?? ""}::uuid`
      const searched = (yield* asKey("?unread=true&limit=1")).body
      assert.strictEqual(searched.total, maxUnreadSearched)
      assert.strictEqual((yield* asKey("?limit=1")).body.total, maxUnreadSearched + 2)
      assert.lengthOf((yield* asMember("?unread=true&limit=1")).body.data, 1)
    })
  )

  it.effect("Marking all as read affects one member in one workspace", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, asStranger, ids } = yield* start(3)
      yield* asMember(`/${ids[1]}/read`, "POST")
      assert.deepStrictEqual((yield* asStranger("/read-all", "POST")).body, { data: { updated: 0 } })
      const marked = yield* asMember("/read-all", "POST")
      assert.deepStrictEqual([marked.status, marked.body], [200, { data: { updated: 2 } }])
      assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 0 } })
      assert.isTrue((yield* asMember()).body.data.every(({ read }: Summary) => read))
      assert.isTrue((yield* asKey()).body.data.every(({ read }: Summary) => read))
      assert.isFalse((yield* asSecond()).body.data.some(({ read }: Summary) => read))
      assert.deepStrictEqual((yield* asSecond("/read-all", "POST")).body, { data: { updated: 3 } })
    })
  )

  it.effect(
    "Marking all as read also holds for notifications that are older than a minute, and not for later ones",
    () =>
      Effect.gen(function* () {
        const { asKey, asMember, asSecond, ids, team } = yield* start(2)
        yield* TestClock.adjust("1 hour")
        yield* notify(team.workspaceId, "3")
        yield* asMember(`/${ids[0]}/read`, "POST")
        assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 2 } })
        assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 0 } })
        yield* TestClock.adjust("1 hour")
        yield* notify(team.workspaceId, "4")
        const read = [
          ["4", false],
          ["3", true],
          ["2", true],
          ["1", true]
        ]
        assert.deepStrictEqual(summarize((yield* asMember()).body), read)
        assert.deepStrictEqual(summarize((yield* asKey()).body), read)
        assert.isFalse((yield* asSecond()).body.data.some((one: Summary) => one.read))
        assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 1 } })
        assert.deepStrictEqual((yield* asSecond("/read-all", "POST")).body, { data: { updated: 4 } })
      })
  )

  it.effect("A notification that is stored late, with an earlier time than read ones, stays unread", () =>
    Effect.gen(function* () {
      const { asMember, team } = yield* start(0)
      yield* TestClock.setTime(Duration.toMillis("10 hours"))
      const late = yield* nextNotificationId
      yield* TestClock.adjust("20 seconds")
      yield* notify(team.workspaceId, "earlier stored")
      assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 1 } })
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
        SELECT ${late}::uuid, workspace_id, type, 'later stored', message, metadata, created_at FROM notifications
        WHERE workspace_id = ${team.workspaceId}::uuid`
      assert.deepStrictEqual(summarize((yield* asMember()).body), [
        ["earlier stored", true],
        ["later stored", false]
      ])
    })
  )

  it.effect("Marking an unknown notification gets a 404, and one with a malformed id a 400", () =>
    Effect.gen(function* () {
      const { asMember } = yield* start(0)
      const unknown = yield* asMember("/01a1fc17-dc2e-777d-ad63-5a461a1bba44/read", "POST")
      assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "not_found"])
      const malformed = yield* asMember("/nonsense/read", "POST")
      assert.deepStrictEqual([malformed.status, malformed.body.errors[0].path], [400, ["id"]])
    })
  )

  it.effect("A notification is unread for keys after the only member who read it has left", () =>
    Effect.gen(function* () {
      const { asKey, asMember, ids, team } = yield* start(1)
      yield* asMember(`/${ids[0]}/read`, "POST")
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM members WHERE user_id = ${team.user.id}::uuid`
      assert.strictEqual((yield* asMember()).status, 401, "the session ends with the membership")
      assert.deepStrictEqual(summarize((yield* asKey()).body), [["1", false]])
    })
  )
})
