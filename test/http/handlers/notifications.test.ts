import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { sendJson, keyHeaders, sessionHeaders } from "../../support/http/client.ts"
import { makeSession, makeTeam, notify, startOnDatabase } from "../../support/http/team.ts"

interface Shown {
  readonly title: string
  readonly read: boolean
}

const shown = (body: { readonly data: ReadonlyArray<Shown> }) => body.data.map(({ title, read }) => [title, read])

/** A workspace with two members and as many notifications, titled 1 and so on. */
const start = Effect.fn("start")(function* (count: number) {
  const url = yield* startOnDatabase()
  const team = yield* makeTeam
  const sql = yield* SqlClient.SqlClient
  const other = yield* makeTeam
  yield* sql`INSERT INTO members (workspace_id, user_id, created_at)
    VALUES (${team.workspaceId}::uuid, ${other.user.id}::uuid, now())`
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

layer(repoLayer)("notifications", (it) => {
  it.effect("are listed with a key page by page by number, 50 unless asked for another number", () =>
    Effect.gen(function* () {
      const { asKey } = yield* start(51)
      const first = (yield* asKey()).body
      assert.deepInclude(first, { total: 51, page: 0, limit: 50, hasMore: true })
      assert.deepStrictEqual([first.data.length, first.data[0].title, first.data[49].title], [50, "51", "2"])
      const last = (yield* asKey("?page=1")).body
      assert.deepInclude(last, { total: 51, page: 1, limit: 50, hasMore: false })
      assert.deepStrictEqual(shown(last), [["1", false]])
      assert.hasAllKeys(last, ["data", "total", "page", "limit", "hasMore"])
      assert.hasAllKeys(last.data[0], [
        "id",
        "title",
        "message",
        "type",
        "read",
        "action_url",
        "metadata",
        "created_at"
      ])
    })
  )

  it.effect("are listed with a session from cursor to cursor, 30 unless asked for another number", () =>
    Effect.gen(function* () {
      const { asMember } = yield* start(31)
      const first = (yield* asMember()).body
      assert.hasAllKeys(first, ["data", "next_cursor", "hasMore"])
      assert.deepStrictEqual([first.data.length, first.data[0].title, first.hasMore], [30, "31", true])
      const last = (yield* asMember(`?cursor=${first.next_cursor}`)).body
      assert.deepStrictEqual([shown(last), last.hasMore, last.next_cursor], [[["1", false]], false, null])
    })
  )

  it.effect("are neither skipped nor repeated by cursors while new ones come in", () =>
    Effect.gen(function* () {
      const { asMember, team } = yield* start(4)
      const first = (yield* asMember("?limit=2")).body
      yield* notify(team.workspaceId, "new")
      const second = (yield* asMember(`?limit=2&cursor=${first.next_cursor}`)).body
      assert.deepStrictEqual(
        [...shown(first), ...shown(second)].map(([title]) => title),
        ["4", "3", "2", "1"]
      )
      assert.deepStrictEqual([second.hasMore, second.next_cursor], [false, null])
    })
  )

  it.effect("may be asked for 100 at a time in either mode, and not for more", () =>
    Effect.gen(function* () {
      const { asKey, asMember } = yield* start(1)
      for (const mode of [asKey, asMember]) {
        assert.strictEqual((yield* mode("?limit=100")).status, 200)
        for (const limit of ["101", "0", "-1", "1.5", "x", ""]) {
          const { status, body } = yield* mode(`?limit=${limit}`)
          assert.deepStrictEqual([status, body.code, body.errors[0].path], [400, "invalid_request", ["limit"]], limit)
        }
      }
    })
  )

  it.effect("refuse the other mode's parameter, and say which one to use", () =>
    Effect.gen(function* () {
      const { asKey, asMember } = yield* start(2)
      const { next_cursor } = (yield* asMember("?limit=1")).body
      const withCursor = yield* asKey(`?cursor=${next_cursor}`)
      assert.deepStrictEqual([withCursor.status, withCursor.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(withCursor.body.errors, [
        { path: ["cursor"], message: "With a key pages go by number: use page" }
      ])
      const withPage = yield* asMember("?page=0")
      assert.deepStrictEqual([withPage.status, withPage.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(withPage.body.errors[0].path, ["page"])
      const broken = yield* asMember("?cursor=nonsense")
      assert.deepStrictEqual([broken.status, broken.body.errors[0].path], [400, ["cursor"]])
    })
  )

  it.effect("are read by a member for themselves, and for keys once any member has read them", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, ids } = yield* start(2)
      const marked = yield* asMember(`/${ids[0]}/read`, "POST")
      assert.strictEqual(marked.status, 200)
      assert.deepInclude(marked.body.data, { id: ids[0], title: "1", read: true, type: "post.approval_requested" })
      assert.deepStrictEqual((yield* asMember(`/${ids[0]}/read`, "POST")).body, marked.body, "again is the same")
      assert.deepStrictEqual(shown((yield* asMember()).body), [
        ["2", false],
        ["1", true]
      ])
      assert.deepStrictEqual(shown((yield* asSecond()).body), [
        ["2", false],
        ["1", false]
      ])
      assert.deepStrictEqual(shown((yield* asKey()).body), [
        ["2", false],
        ["1", true]
      ])
    })
  )

  it.effect("are all read at once by a member, in that workspace only", () =>
    Effect.gen(function* () {
      const { asKey, asMember, asSecond, asStranger, ids } = yield* start(3)
      yield* asMember(`/${ids[1]}/read`, "POST")
      assert.deepStrictEqual((yield* asStranger("/read-all", "POST")).body, { data: { updated: 0 } })
      const marked = yield* asMember("/read-all", "POST")
      assert.deepStrictEqual([marked.status, marked.body], [200, { data: { updated: 2 } }])
      assert.deepStrictEqual((yield* asMember("/read-all", "POST")).body, { data: { updated: 0 } })
      assert.isTrue((yield* asMember()).body.data.every(({ read }: Shown) => read))
      assert.isTrue((yield* asKey()).body.data.every(({ read }: Shown) => read))
      assert.isFalse((yield* asSecond()).body.data.some(({ read }: Shown) => read))
      assert.deepStrictEqual((yield* asSecond("/read-all", "POST")).body, { data: { updated: 3 } })
    })
  )

  it.effect("that are unknown are a 404 to mark, and an id that is none is a 400", () =>
    Effect.gen(function* () {
      const { asMember } = yield* start(0)
      const unknown = yield* asMember("/01a1fc17-dc2e-777d-ad63-5a461a1bba44/read", "POST")
      assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "not_found"])
      const malformed = yield* asMember("/nonsense/read", "POST")
      assert.deepStrictEqual([malformed.status, malformed.body.errors[0].path], [400, ["id"]])
    })
  )

  it.effect("are no longer read for keys when the one member who read them has left", () =>
    Effect.gen(function* () {
      const { asKey, asMember, ids, team } = yield* start(1)
      yield* asMember(`/${ids[0]}/read`, "POST")
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM members WHERE user_id = ${team.user.id}::uuid`
      assert.strictEqual((yield* asMember()).status, 401, "with the membership the session ends")
      assert.deepStrictEqual(shown((yield* asKey()).body), [["1", false]])
    })
  )
})
