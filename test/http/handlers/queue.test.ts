import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PostId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { anotherRepo } from "../../support/database/testDatabase.ts"
import { scheduleAsVersionBefore } from "../../support/database/versionBefore.ts"
import { keyHeaders, makeSendAs, sendJson } from "../../support/http/client.ts"
import { ServerUrl, startServer } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const draft = { content: "Hello", platforms: ["twitter", "bluesky"] }
const inSlot = { ...draft, schedule: "next_slot" }

/** The first day of January 1970, when the clock begins, is a Thursday. */
const workdays = ["thursday", "friday"]
const mornings = { time_zone: "UTC", entries: workdays.map((weekday) => ({ weekday, time: "09:00" })) }
const [thursday, friday, nextThursday, nextFriday] = [1, 2, 8, 9].map((day) => `1970-01-0${day}T09:00:00.000Z`)

const start = Effect.gen(function* () {
  // The tests share the clock.
  yield* TestClock.setTime(0)
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sendAs = makeSendAs(`${url}/v1`)
  const send = sendAs(keyHeaders(team.key))
  const asPerson = sendAs({ cookie: team.cookie, "sec-fetch-site": "same-origin" })
  const setQueue = (queue: object) => send("PUT", "/queue", queue)
  /** Creates a post in the next slot, and returns it as stored. */
  const add = (extra: object = {}) =>
    Effect.flatMap(send("POST", "/posts", { ...inSlot, ...extra }), ({ body }) => read(body.id))
  const read = (id: string) => Effect.map(send("GET", `/posts/${id}`), ({ body }) => body.data)
  const nextSlot = (query = "") => Effect.map(send("GET", `/queue/next${query}`), ({ body }) => body.data.scheduled_at)
  return { ...team, url, sendAs, send, asPerson, setQueue, add, read, nextSlot }
})

layer(databaseServerLayer())("the queue", (it) => {
  it.effect("A workspace has no queue until somebody sets it, then everybody reads it with its author", () =>
    Effect.gen(function* () {
      const { asPerson, send, user } = yield* start
      const { body: unset, headers } = yield* send("GET", "/queue")
      assert.deepStrictEqual(unset.data, {
        time_zone: null,
        entries: [],
        revision: 1,
        updated_at: null,
        updated_by: null
      })
      assert.strictEqual(headers.get("etag"), '"1"')
      const entries = [
        { weekday: "monday", time: "17:30", platforms: ["twitter"] },
        { weekday: "monday", time: "09:00", platforms: null },
        { weekday: "sunday", time: "23:59" }
      ]
      const set = yield* asPerson("PUT", "/queue", { time_zone: "Europe/Berlin", entries })
      assert.strictEqual(set.status, 200)
      assert.deepStrictEqual(set.body.data, {
        time_zone: "Europe/Berlin",
        entries: [
          { weekday: "sunday", time: "23:59" },
          { weekday: "monday", time: "09:00" },
          { weekday: "monday", time: "17:30", platforms: ["twitter"] }
        ],
        revision: 2,
        updated_at: "1970-01-01T00:00:00.000Z",
        updated_by: { type: "user", id: user.id, name: user.email }
      })
      const read = yield* send("GET", "/queue")
      assert.deepStrictEqual([read.body, read.headers.get("etag")], [set.body, '"2"'])
    })
  )

  it.effect.each([
    ["europe/berlin", "Europe/Berlin"],
    ["ASIA/KOLKATA", "Asia/Kolkata"],
    ["Europe/Kiev", "Europe/Kiev"],
    ["us/eastern", "America/New_York"],
    ["utc", "UTC"]
  ] as const)("The zone %s of a queue is stored as %s", ([written, usual]) =>
    Effect.gen(function* () {
      const { asPerson, send } = yield* start
      const set = yield* asPerson("PUT", "/queue", { time_zone: written, entries: [] })
      assert.deepStrictEqual([set.status, set.body.data.time_zone], [200, usual])
      assert.strictEqual((yield* send("GET", "/queue")).body.data.time_zone, usual)
    })
  )

  it.effect("A queue that is wrong is refused by the fields that are", () =>
    Effect.gen(function* () {
      const { send, setQueue } = yield* start
      const nine = { weekday: "monday", time: "09:00" }
      const issuesOf = (queue: object) =>
        Effect.map(setQueue(queue), ({ body, status }) => [
          status,
          body.errors.map((issue: { path: unknown }) => issue.path)
        ])
      const zone = { time_zone: "Europe/Berlin" }
      assert.deepStrictEqual(yield* issuesOf({ ...zone, entries: [nine, { ...nine, platforms: ["twitter"] }] }), [
        400,
        [["entries", 1, "time"]]
      ])
      assert.deepStrictEqual(
        yield* issuesOf({ time_zone: "Berlin", entries: [{ weekday: "someday", time: "24:00", platforms: [] }] }),
        [400, [["time_zone"], ["entries", 0, "weekday"], ["entries", 0, "time"], ["entries", 0, "platforms"]]]
      )
      const many = Array.from({ length: 169 }, (_, index) => ({
        ...nine,
        time: `09:${String(index % 60).padStart(2, "0")}`
      }))
      assert.deepStrictEqual(yield* issuesOf({ ...zone, entries: many }), [400, [["entries"]]])
      // A name that is no zone is one error, and an If-Match that is no list of tags is told about any resource.
      assert.deepStrictEqual(yield* issuesOf({ time_zone: "+02:00", entries: [] }), [400, [["time_zone"]]])
      const { body } = yield* send("PUT", "/queue", mornings, { "if-match": "1" })
      assert.strictEqual(
        body.detail,
        'if-match: Expected the ETag of a response, such as "3-draft" or "3", a list of them, or *'
      )
      assert.strictEqual((yield* send("GET", "/queue")).body.data.revision, 1)
    })
  )

  it.effect("If-Match refuses a queue that somebody has changed since, and also protects the first change", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const put = (etag: string) => send("PUT", "/queue", mornings, { "if-match": etag })
      assert.deepStrictEqual((yield* put('"2"')).status, 412)
      assert.deepStrictEqual((yield* put('"1"')).status, 200)
      const { body, status } = yield* put('"1"')
      assert.deepStrictEqual([status, body.code], [412, "revision_mismatch"])
      assert.include(body.detail, "The queue has changed: it is now at revision 2")
      assert.deepStrictEqual((yield* put('W/"2"')).status, 200)
      assert.deepStrictEqual((yield* put('"3-draft"')).status, 412)
      assert.deepStrictEqual((yield* put("*")).status, 200)
    })
  )

  it.effect("Who publishes sets the queue: editors and keys, but no viewer and no key that only drafts", () =>
    Effect.gen(function* () {
      const { sendAs, workspaceId } = yield* start
      const person = Effect.fnUntraced(function* (role: "viewer" | "editor") {
        const { id } = yield* makeMember(workspaceId, role)
        return { cookie: yield* makeSession(id, workspaceId), "sec-fetch-site": "same-origin" }
      })
      const key = (options: Parameters<typeof makeKey>[1]) =>
        Effect.map(makeKey(workspaceId, options), (made) => keyHeaders(made.key))
      const put = (headers: Readonly<Record<string, string>>) =>
        Effect.map(sendAs(headers)("PUT", "/queue", mornings), ({ body, status }) => body.code ?? status)
      assert.strictEqual(yield* put(yield* person("viewer")), "insufficient_role")
      assert.strictEqual(yield* put(yield* person("editor")), 200)
      assert.strictEqual(yield* put(yield* key({ scopes: ["posts:write", "posts:read"] })), "insufficient_scope")
      assert.strictEqual(yield* put(yield* key({ requiresApproval: true })), "approval_required")
      const reader = yield* key({ scopes: ["posts:read"] })
      assert.strictEqual((yield* sendAs(reader)("GET", "/queue")).body.data.revision, 2)
    })
  )

  it.effect("A post gets the next free slot, tells it in the response, and a changed queue moves no post", () =>
    Effect.gen(function* () {
      const { nextSlot, read, send, setQueue } = yield* start
      yield* setQueue(mornings)
      assert.strictEqual(yield* nextSlot(), thursday)
      const first = yield* send("POST", "/posts", inSlot)
      assert.strictEqual(first.status, 201)
      assert.deepInclude(first.body, { status: "scheduled", scheduled_at: thursday })
      const second = yield* send("POST", "/posts", inSlot)
      assert.strictEqual(second.body.scheduled_at, friday)
      yield* setQueue({ time_zone: "UTC", entries: [{ weekday: "thursday", time: "08:00" }] })
      assert.strictEqual((yield* read(first.body.id)).scheduled_at, thursday)
      assert.strictEqual((yield* read(second.body.id)).scheduled_at, friday)
      assert.strictEqual(yield* nextSlot(), "1970-01-01T08:00:00.000Z")
    })
  )

  it.effect(
    "A slot is free again when its post gets another time, is unscheduled or deleted, or goes out at once",
    () =>
      Effect.gen(function* () {
        const { add, nextSlot, send, setQueue } = yield* start
        yield* setQueue(mornings)
        const changes = [
          (id: string) => send("PATCH", `/posts/${id}`, { scheduled_at: nextFriday }),
          (id: string) => send("PATCH", `/posts/${id}`, { status: "draft" }),
          (id: string) => send("PATCH", `/posts/${id}`, { status: "draft", scheduled_at: null }),
          (id: string) => send("DELETE", `/posts/${id}`),
          (id: string) => send("POST", `/posts/${id}/publish`)
        ]
        for (const change of changes) {
          const { id, scheduled_at } = yield* add()
          assert.strictEqual(scheduled_at, thursday)
          assert.strictEqual(yield* nextSlot(), friday)
          assert.isBelow((yield* change(id)).status, 300)
          assert.strictEqual(yield* nextSlot(), thursday)
        }
        const { id } = yield* add()
        yield* send("PATCH", `/posts/${id}`, { content: "Hi", tags: ["a"] })
        assert.strictEqual(yield* nextSlot(), friday)
      })
  )

  it.effect("A post that is planned for a slot's minute takes it, and a draft only if it asks for approval", () =>
    Effect.gen(function* () {
      const { nextSlot, sendAs, send, setQueue, workspaceId } = yield* start
      yield* setQueue(mornings)
      const at = "1970-01-01T09:00:59.000Z"
      const { body: planned } = yield* send("POST", "/posts", { ...draft, status: "draft", schedule_at: at })
      assert.strictEqual(yield* nextSlot(), thursday)
      yield* send("PATCH", `/posts/${planned.id}`, { status: "scheduled" })
      assert.strictEqual(yield* nextSlot(), friday)
      assert.strictEqual(yield* nextSlot(`?post_id=${planned.id}`), thursday)
      yield* send("DELETE", `/posts/${planned.id}`)
      yield* send("POST", "/posts", { ...draft, schedule_at: "1970-01-01T09:01:00.000Z" })
      yield* send("POST", "/posts", { ...draft, schedule_at: "1970-01-01T08:59:59.999Z" })
      assert.strictEqual(yield* nextSlot(), thursday)
      const agent = keyHeaders((yield* makeKey(workspaceId, { requiresApproval: true })).key)
      yield* sendAs(agent)("POST", "/posts", { ...draft, schedule_at: at })
      assert.strictEqual(yield* nextSlot(), friday)
    })
  )

  it.effect("A slot with platforms takes only posts whose platforms are all among them", () =>
    Effect.gen(function* () {
      const { add, nextSlot, send, setQueue } = yield* start
      yield* setQueue({
        time_zone: "UTC",
        entries: [
          { weekday: "thursday", time: "09:00", platforms: ["twitter"] },
          { weekday: "friday", time: "09:00", platforms: ["twitter", "bluesky"] }
        ]
      })
      assert.strictEqual(yield* nextSlot("?platforms=twitter,bluesky"), friday)
      assert.strictEqual((yield* add()).scheduled_at, friday)
      assert.strictEqual((yield* add({ platforms: ["twitter"] })).scheduled_at, thursday)
      assert.strictEqual((yield* add({ platforms: ["bluesky"] })).scheduled_at, nextFriday)
      yield* setQueue({ time_zone: "UTC", entries: [{ weekday: "thursday", time: "10:00", platforms: ["twitter"] }] })
      const { body, status } = yield* send("POST", "/posts", inSlot)
      assert.deepStrictEqual([status, body.errors[0].path, body.errors[0].code], [400, ["schedule"], "slot_missing"])
      assert.include(body.detail, "No slot of the queue takes a post for X and Bluesky")
      assert.isNull(yield* nextSlot("?platforms=bluesky"))
      assert.strictEqual((yield* send("GET", "/queue/next?platforms=twitter,myspace")).status, 400)
    })
  )

  it.effect("Without times in the queue every full hour is a slot: in the queue's zone, the person's or UTC", () =>
    Effect.gen(function* () {
      const { asPerson, send, setQueue, user } = yield* start
      const create = (as: typeof send) =>
        Effect.map(as("POST", "/posts", { ...inSlot, status: "draft" }), ({ body }) => body.scheduled_at)
      assert.strictEqual(yield* create(send), "1970-01-01T01:00:00.000Z")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE users SET time_zone = 'Asia/Kathmandu' WHERE id = ${user.id}::uuid`
      // Nepal's clocks were 5 hours and 30 minutes ahead then.
      assert.strictEqual(yield* create(asPerson), "1970-01-01T00:30:00.000Z")
      assert.strictEqual(yield* create(send), "1970-01-01T02:00:00.000Z")
      yield* setQueue({ time_zone: "Asia/Kathmandu", entries: [] })
      assert.strictEqual(yield* create(send), "1970-01-01T01:30:00.000Z")
    })
  )

  it.effect("If every slot of 180 days is taken, the response names the step", () =>
    Effect.gen(function* () {
      const { add, nextSlot, send, setQueue } = yield* start
      yield* setQueue({ time_zone: "UTC", entries: [{ weekday: "thursday", time: "09:00" }] })
      const taken = yield* Effect.forEach(Array.from({ length: 26 }), () => add())
      assert.strictEqual(new Set(taken.map(({ scheduled_at }) => scheduled_at)).size, 26)
      const { body, status } = yield* send("POST", "/posts", inSlot)
      assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
      assert.include(body.detail, "schedule: Every slot of the next 180 days is taken: add times by PUT /v1/queue")
      assert.isNull(yield* nextSlot())
      const { body: validated } = yield* send("POST", "/posts/validate", inSlot)
      assert.deepStrictEqual(
        [validated.data.valid, validated.data.errors.map((issue: { code: string }) => issue.code)],
        [false, ["slot_missing"]]
      )
      yield* send("DELETE", `/posts/${taken[3]?.id}`)
      assert.isTrue((yield* send("POST", "/posts/validate", inSlot)).body.data.valid)
      assert.strictEqual((yield* add()).scheduled_at, taken[3]?.scheduled_at)
    })
  )

  it.effect("A time and a slot together are refused", () =>
    Effect.gen(function* () {
      const { add, send } = yield* start
      const { id } = yield* add()
      const both = { schedule: "next_slot", scheduled_at: null }
      for (const [method, path, body] of [
        ["POST", "/posts", { ...inSlot, schedule_at: friday }],
        ["PATCH", `/posts/${id}`, both],
        ["POST", `/posts/${id}/approve`, { revision: 1, schedule: "next_slot", publish_now: true }]
      ] as const) {
        assert.deepInclude((yield* send(method, path, body)).body, { status: 400, code: "invalid_request" }, path)
      }
      const { body } = yield* send("POST", "/posts/validate", { ...inSlot, schedule_at: friday })
      assert.deepStrictEqual(body.data.errors, [
        { path: ["schedule"], message: "Send either schedule or schedule_at, not both" }
      ])
    })
  )

  it.effect("A change moves a post to the first free slot, which may be its own, and back to a time", () =>
    Effect.gen(function* () {
      const { add, nextSlot, read, send, setQueue } = yield* start
      yield* setQueue(mornings)
      const first = yield* add()
      const { id } = yield* add()
      const patch = (body: object) => Effect.map(send("PATCH", `/posts/${id}`, body), (response) => response.body.data)
      const toSlot = { schedule: "next_slot" }
      assert.deepInclude(yield* patch(toSlot), { scheduled_at: friday, revision: 1 })
      yield* send("DELETE", `/posts/${first.id}`)
      assert.deepInclude(yield* patch(toSlot), { status: "scheduled", scheduled_at: thursday, revision: 2 })
      assert.deepInclude(yield* patch({ ...toSlot, status: "draft" }), { status: "draft", scheduled_at: thursday })
      assert.strictEqual(yield* nextSlot(), friday)
      yield* patch({ status: "scheduled" })
      assert.deepInclude(yield* patch({ scheduled_at: nextThursday }), { scheduled_at: nextThursday })
      assert.strictEqual((yield* add()).scheduled_at, thursday)
      assert.deepInclude(yield* patch({ ...toSlot, status: "draft" }), { status: "draft", scheduled_at: friday })
      assert.strictEqual((yield* add()).scheduled_at, nextThursday)
      assert.deepInclude(yield* patch({ status: "scheduled" }), { status: "scheduled", scheduled_at: friday })
      assert.strictEqual((yield* read(id)).scheduled_at, friday)
    })
  )

  it.effect("A changed post takes a slot for the platforms that it has then", () =>
    Effect.gen(function* () {
      const { add, send, setQueue } = yield* start
      yield* setQueue({
        time_zone: "UTC",
        entries: [
          { weekday: "thursday", time: "09:00", platforms: ["bluesky"] },
          { weekday: "friday", time: "09:00" }
        ]
      })
      const { id, scheduled_at } = yield* add()
      assert.strictEqual(scheduled_at, friday)
      const moved = yield* send("PATCH", `/posts/${id}`, { platforms: ["bluesky"], schedule: "next_slot" })
      assert.strictEqual(moved.body.data.scheduled_at, thursday)
    })
  )

  it.effect("A copy is scheduled at the next slot, or is not made", () =>
    Effect.gen(function* () {
      const { add, read, send, setQueue } = yield* start
      yield* setQueue(mornings)
      const original = yield* add()
      const toSlot = { schedule: "next_slot" }
      const copying = send("POST", `/posts/${original.id}/copy`, toSlot, { "idempotency-key": "c" })
      const copy = yield* copying
      assert.deepInclude(copy.body.data, { status: "scheduled", scheduled_at: friday, copied_from: original.id })
      assert.deepStrictEqual((yield* copying).body, copy.body)
      assert.deepInclude((yield* send("POST", `/posts/${original.id}/copy`, {})).body.data, {
        status: "draft",
        scheduled_at: null
      })
      const { body: long } = yield* send("POST", "/posts", { ...draft, content: "a".repeat(400) })
      const before = (yield* send("GET", "/posts")).body.data.length
      const refused = yield* send("POST", `/posts/${long.id}/copy`, toSlot)
      assert.deepInclude(refused.body, { status: 400, code: "content_too_long" })
      assert.strictEqual((yield* send("GET", "/posts")).body.data.length, before)
      assert.strictEqual((yield* read(original.id)).scheduled_at, thursday)
    })
  )

  it.effect("A draft that waits for approval holds its slot, and is approved at it or at the next one", () =>
    Effect.gen(function* () {
      const { asPerson, nextSlot, sendAs, setQueue, workspaceId } = yield* start
      yield* setQueue(mornings)
      const asAgent = sendAs(keyHeaders((yield* makeKey(workspaceId, { requiresApproval: true })).key))
      const { body: asked } = yield* asAgent("POST", "/posts", inSlot)
      assert.deepInclude(asked, { status: "draft", scheduled_at: thursday })
      const { body: second } = yield* asAgent("POST", "/posts", inSlot)
      assert.strictEqual(second.scheduled_at, friday)
      const { body: third } = yield* asAgent("POST", `/posts/${asked.id}/copy`, { schedule: "next_slot" })
      assert.deepInclude(third.data, { status: "draft", scheduled_at: nextThursday })
      assert.strictEqual(third.data.approval.status, "requested")
      const approved = yield* asPerson("POST", `/posts/${asked.id}/approve`, { revision: 1 })
      assert.deepInclude(approved.body.data, { status: "scheduled", scheduled_at: thursday })
      yield* asPerson("POST", `/posts/${second.id}/reject`, { revision: 1, reason: "No" })
      assert.strictEqual(yield* nextSlot(), nextFriday)
      yield* asPerson("DELETE", `/posts/${second.id}`)
      const moved = yield* asPerson("POST", `/posts/${third.data.id}/approve`, {
        revision: third.data.revision,
        schedule: "next_slot"
      })
      assert.deepInclude(moved.body.data, { status: "scheduled", scheduled_at: friday })
      assert.strictEqual(moved.body.data.approval.status, "approved")
    })
  )

  it.effect("A draft whose slot has passed is approved at the next slot, or its time is asked for", () =>
    Effect.gen(function* () {
      const { asPerson, sendAs, setQueue, workspaceId } = yield* start
      yield* setQueue(mornings)
      const asAgent = sendAs(keyHeaders((yield* makeKey(workspaceId, { requiresApproval: true })).key))
      const { body: asked } = yield* asAgent("POST", "/posts", inSlot)
      yield* TestClock.adjust("10 hours")
      const approve = (more: object) => asPerson("POST", `/posts/${asked.id}/approve`, { revision: 1, ...more })
      assert.deepInclude((yield* approve({})).body, { status: 400, code: "time_required" })
      assert.deepInclude((yield* approve({ schedule: "next_slot" })).body.data, {
        status: "scheduled",
        scheduled_at: friday
      })
    })
  )

  it.effect("A repeated request gets the same post and slot", () =>
    Effect.gen(function* () {
      const { nextSlot, send, setQueue } = yield* start
      yield* setQueue(mornings)
      const create = send("POST", "/posts", inSlot, { "idempotency-key": "k" })
      const [first, ...others] = yield* Effect.all([create, create, create])
      for (const other of others) assert.deepStrictEqual(other.body, first.body)
      assert.strictEqual(yield* nextSlot(), friday)
    })
  )

  it.effect("A refused post takes no slot", () =>
    Effect.gen(function* () {
      const { nextSlot, send, setQueue } = yield* start
      yield* setQueue(mornings)
      const { body } = yield* send("POST", "/posts", { ...inSlot, content: "a".repeat(400) })
      assert.strictEqual(body.code, "content_too_long")
      assert.strictEqual(yield* nextSlot(), thursday)
    })
  )

  it.effect("Fifty concurrent posts on three servers get fifty slots, and skip none", () =>
    Effect.gen(function* () {
      const { key, send, setQueue, url } = yield* start
      yield* setQueue(mornings)
      const stores = Layer.succeedContext(yield* Effect.context<Repo>())
      const others = yield* Effect.forEach([1, 2], () =>
        Effect.flatMap(anotherRepo, (repo) => startServer({ repo: Layer.merge(stores, Layer.succeed(Repo, repo)) }))
      )
      const urls = [url, ...others]
      const created = yield* Effect.all(
        Array.from({ length: 50 }, (_, index) =>
          sendJson(`${urls[index % 3]}/v1/posts`, "POST", keyHeaders(key), inSlot)
        ),
        { concurrency: "unbounded" }
      )
      const times = created.map(({ body }) => String(body.scheduled_at)).toSorted()
      const weeks = Array.from({ length: 25 }, (_, week) =>
        [1, 2].map((day) => new Date(Date.UTC(1970, 0, day + 7 * week, 9)).toISOString())
      )
      assert.deepStrictEqual(times, weeks.flat())
      assert.strictEqual((yield* send("GET", "/queue/next")).body.data.scheduled_at, "1970-06-25T09:00:00.000Z")
    })
  )

  it.effect("Slots are listed with the posts that take them", () =>
    Effect.gen(function* () {
      const { add, send, setQueue } = yield* start
      const list = (from: string, to: string) =>
        Effect.map(send("GET", `/queue/slots?from=${from}&to=${to}`), ({ body, status }) =>
          status === 200 ? body.data : body.errors
        )
      assert.deepStrictEqual(yield* list("1970-01-01T00:00:00Z", "1970-02-01T00:00:00Z"), [])
      yield* setQueue({
        ...mornings,
        entries: [
          { weekday: "thursday", time: "09:00" },
          { weekday: "friday", time: "09:00", platforms: ["twitter"] }
        ]
      })
      const holder = yield* add()
      const { body: planned } = yield* send("POST", "/posts", { ...draft, schedule_at: thursday })
      assert.deepStrictEqual(yield* list("1970-01-01T00:00:00Z", "1970-01-09T00:00:00Z"), [
        { at: thursday, platforms: null, post_ids: [holder.id, planned.id] },
        { at: friday, platforms: ["twitter"], post_ids: [] },
        { at: nextThursday, platforms: null, post_ids: [] }
      ])
      assert.deepStrictEqual(yield* list("1970-01-01T00:00:00Z", "1970-03-05T00:00:00Z"), [
        { path: ["to"], message: "Expected a time at most 62 days after from" }
      ])
      assert.strictEqual((yield* list("1970-01-02T00:00:00Z", "1970-01-01T00:00:00Z"))[0].path[0], "to")
    })
  )

  it.effect("Another workspace's posts take no slot", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* start, yield* start]
      yield* mine.setQueue(mornings)
      yield* theirs.setQueue(mornings)
      assert.strictEqual((yield* mine.add()).scheduled_at, thursday)
      assert.strictEqual((yield* theirs.add()).scheduled_at, thursday)
    })
  )

  it.effect("A slot that falls into the gap of the clocks is after it, and one that comes twice is the first", () =>
    Effect.gen(function* () {
      const { add, setQueue } = yield* start
      yield* setQueue({ time_zone: "America/New_York", entries: [{ weekday: "sunday", time: "02:30" }] })
      // The clocks went ahead on 26 April 1970.
      const found = yield* Effect.forEach(Array.from({ length: 18 }), () => add())
      const times = found.map(({ scheduled_at }) => String(scheduled_at))
      assert.deepStrictEqual(times.slice(15), [
        "1970-04-19T07:30:00.000Z",
        "1970-04-26T07:30:00.000Z",
        "1970-05-03T06:30:00.000Z"
      ])
    })
  )

  it.effect("The previous version frees the slot of a post that it moves, unschedules or deletes", () =>
    Effect.gen(function* () {
      const { add, nextSlot, setQueue, workspaceId } = yield* start
      const sql = yield* SqlClient.SqlClient
      yield* setQueue(mornings)
      const moved = yield* add()
      yield* scheduleAsVersionBefore(workspaceId, PostId.make(moved.id), DateTime.makeUnsafe("1970-01-05T12:00:00Z"))
      assert.strictEqual(yield* nextSlot(), thursday)
      // It moves the post back, where another holds the slot by now.
      const second = yield* add()
      assert.strictEqual(second.scheduled_at, thursday)
      yield* scheduleAsVersionBefore(workspaceId, PostId.make(moved.id), DateTime.makeUnsafe(String(thursday)))
      assert.strictEqual(yield* nextSlot(), friday)
      yield* scheduleAsVersionBefore(workspaceId, PostId.make(moved.id), DateTime.makeUnsafe("1970-01-05T12:00:00Z"))
      yield* sql`UPDATE posts SET status = 'draft' WHERE workspace_id = ${workspaceId}::uuid AND id = ${second.id}::uuid`
      assert.strictEqual(yield* nextSlot(), thursday)
      const third = yield* add()
      yield* sql`DELETE FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ${third.id}::uuid`
      assert.strictEqual(yield* nextSlot(), thursday)
    })
  )

  it.effect("The database lets a slot hold one post", () =>
    Effect.gen(function* () {
      const { add, setQueue, workspaceId } = yield* start
      const sql = yield* SqlClient.SqlClient
      yield* setQueue(mornings)
      yield* add()
      const { id } = yield* add()
      const error =
        yield* Effect.flip(sql`UPDATE posts SET scheduled_at = ${thursday}::timestamptz, slot_at = ${thursday}::timestamptz
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`)
      assert.strictEqual(error.reason._tag, "UniqueViolation")
    })
  )

  it.effect("What a queue of a later version says is read as far as it is known", () =>
    Effect.gen(function* () {
      const { add, send, setQueue, workspaceId } = yield* start
      const sql = yield* SqlClient.SqlClient
      yield* setQueue(mornings)
      const stored = JSON.stringify([
        { weekday: "thursday", time: "09:00", platforms: ["mars", "twitter"], color: "red" },
        { weekday: "friday", time: "09:00", platforms: ["mars"] },
        { weekday: "eighthday", time: "09:00" },
        "?"
      ])
      yield* sql`UPDATE queues SET entries = ${stored}::jsonb WHERE workspace_id = ${workspaceId}::uuid`
      assert.deepStrictEqual((yield* send("GET", "/queue")).body.data.entries, [
        { weekday: "thursday", time: "09:00", platforms: ["twitter"] }
      ])
      yield* sql`UPDATE queues SET time_zone = 'Moon/Base' WHERE workspace_id = ${workspaceId}::uuid`
      const { body } = yield* send("POST", "/posts", inSlot)
      assert.include(body.detail, "does not know the queue's time zone Moon/Base")
      assert.strictEqual((yield* send("GET", "/queue")).body.data.time_zone, "Moon/Base")
      yield* setQueue(mornings)
      assert.strictEqual((yield* add()).scheduled_at, thursday)
    })
  )
})
