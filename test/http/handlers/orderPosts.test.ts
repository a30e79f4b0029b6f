import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keyHeaders, makeSendAs } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const draft = { content: "Hello", platforms: ["twitter", "bluesky"] }
const hour = (of: number) => `1970-01-01T${String(of).padStart(2, "0")}:00:00.000Z`

const start = Effect.gen(function* () {
  // The tests share the clock.
  yield* TestClock.setTime(0)
  const team = yield* makeTeam
  const sendAs = makeSendAs(`${yield* ServerUrl}/v1`)
  const send = sendAs(keyHeaders(team.key))
  const read = (id: string) => Effect.map(send("GET", `/posts/${id}`), ({ body }) => body.data)
  const add = (extra: object) =>
    Effect.flatMap(send("POST", "/posts", { ...draft, ...extra }), ({ body }) => read(body.id))
  const order = (...posts: ReadonlyArray<{ readonly id: string; readonly revision: number }>) =>
    send("PUT", "/queue/order", { posts: posts.map(({ id, revision }) => ({ id, revision })) })
  const timesOf = (...posts: ReadonlyArray<{ readonly id: string }>) =>
    Effect.forEach(posts, ({ id }) => Effect.map(read(id), ({ scheduled_at }) => scheduled_at))
  return { ...team, sendAs, send, read, add, order, timesOf }
})

/** Three scheduled posts, at one, two and three o'clock. */
const three = Effect.gen(function* () {
  const started = yield* start
  const posts = yield* Effect.forEach([1, 2, 3], (of) => started.add({ schedule_at: hour(of) }))
  return { ...started, posts }
})

layer(databaseServerLayer())("the order of posts", (it) => {
  it.effect("Posts take each other's times and slots in the given order, and those that move are returned", () =>
    Effect.gen(function* () {
      const { add, order, send, timesOf } = yield* start
      const day = { weekday: "thursday" }
      yield* send("PUT", "/queue", {
        time_zone: "UTC",
        entries: ["01:00", "02:00", "03:00"].map((time) => ({ ...day, time }))
      })
      const [first, second, third] = [
        yield* add({ schedule: "next_slot" }),
        yield* add({ schedule: "next_slot" }),
        yield* add({ schedule: "next_slot" })
      ]
      const { body, status } = yield* order(third, first, second)
      assert.deepStrictEqual(
        [status, body.data.map((post: { id: string; scheduled_at: string }) => [post.id, post.scheduled_at])],
        [
          200,
          [
            [third.id, hour(1)],
            [first.id, hour(2)],
            [second.id, hour(3)]
          ]
        ]
      )
      assert.deepStrictEqual(yield* timesOf(third, first, second), [hour(1), hour(2), hour(3)])
      const sql = yield* SqlClient.SqlClient
      const held = yield* sql`SELECT id FROM posts WHERE slot_at = scheduled_at ORDER BY slot_at`
      assert.deepStrictEqual(
        held.map(({ id }) => id),
        [third.id, first.id, second.id]
      )
      // The next post gets a slot of another week.
      assert.strictEqual((yield* add({ schedule: "next_slot" })).scheduled_at, "1970-01-08T01:00:00.000Z")
    })
  )

  it.effect("A draft that waits for approval moves among the others, and still waits", () =>
    Effect.gen(function* () {
      const { add, order, read, sendAs, workspaceId } = yield* start
      const agent = sendAs(keyHeaders((yield* makeKey(workspaceId, { requiresApproval: true })).key))
      const { body } = yield* agent("POST", "/posts", { ...draft, schedule_at: hour(1) })
      const [waiting, scheduled] = [yield* read(body.id), yield* add({ schedule_at: hour(2) })]
      assert.strictEqual((yield* order(scheduled, waiting)).status, 200)
      const moved = yield* read(waiting.id)
      assert.deepStrictEqual([moved.scheduled_at, moved.status, moved.approval.status], [hour(2), "draft", "requested"])
    })
  )

  it.effect("If one of them was changed, has gone out or would go out in the past, all keep their times", () =>
    Effect.gen(function* () {
      const { order, posts, send, timesOf } = yield* three
      const [first, second, third] = posts
      const before = [hour(1), hour(2), hour(3)]
      yield* send("PATCH", `/posts/${first.id}`, { content: "Changed meanwhile" })
      const changed = yield* order(third, second, first)
      assert.deepStrictEqual([changed.status, changed.body.code], [412, "revision_mismatch"])
      assert.deepStrictEqual(yield* timesOf(...posts), before)

      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE posts SET status = 'publishing' WHERE id = ${second.id}::uuid`
      const closed = yield* order(third, second)
      assert.deepStrictEqual([closed.status, closed.body.code], [400, "invalid_state"])
      yield* sql`UPDATE posts SET status = 'scheduled' WHERE id = ${second.id}::uuid`
      assert.deepStrictEqual(yield* timesOf(...posts), before)

      yield* TestClock.setTime(Date.parse(hour(2)) + 6 * 60_000)
      const late = yield* order(third, second)
      assert.deepStrictEqual([late.status, late.body.errors[0].path], [400, ["posts", 0, "id"]])
      assert.deepStrictEqual(yield* timesOf(...posts), before)
    })
  )

  it.effect("Two requests at the same time leave one order, and the other is told", () =>
    Effect.gen(function* () {
      const { order, posts, timesOf } = yield* three
      const [first, second, third] = posts
      const both = yield* Effect.all([order(third, first, second), order(second, third, first)], { concurrency: 2 })
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 412]
      )
      assert.sameMembers(yield* timesOf(...posts), [hour(1), hour(2), hour(3)])
    })
  )

  it.effect("A repetition with its Idempotency-Key moves nothing again", () =>
    Effect.gen(function* () {
      const { posts, send, timesOf } = yield* three
      const [first, second] = posts
      const body = { posts: [second, first].map(({ id, revision }) => ({ id, revision })) }
      const swap = send("PUT", "/queue/order", body, { "idempotency-key": "swap" })
      const [done, again] = [yield* swap, yield* swap]
      assert.deepStrictEqual([done.status, again.status, again.body], [200, 200, done.body])
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(yield* timesOf(first, second), [hour(2), hour(1)])
    })
  )

  it.effect("Wrong bodies are refused by their fields, and posts of others are not found", () =>
    Effect.gen(function* () {
      const { add, order, posts, send } = yield* three
      const other = yield* Effect.flatMap(start, (another) => another.add({ schedule_at: hour(4) }))
      const [first] = posts
      const untimed = yield* add({})
      const pathsOf = ({ body }: Effect.Success<ReturnType<typeof order>>) =>
        body.errors.map((issue: { path: unknown }) => issue.path)
      assert.deepStrictEqual(pathsOf(yield* order(first)), [["posts"]])
      assert.deepStrictEqual(pathsOf(yield* order(first, untimed, first)), [
        ["posts", 1, "id"],
        ["posts", 2, "id"]
      ])
      assert.deepStrictEqual(pathsOf(yield* send("PUT", "/queue/order", { posts: [first.id, { id: "x" }] })), [
        ["posts", 0],
        ["posts", 1, "id"],
        ["posts", 1, "revision"]
      ])
      assert.strictEqual((yield* order(first, other)).status, 404)
    })
  )

  it.effect("A key that requires approval can't reorder posts of others", () =>
    Effect.gen(function* () {
      const { posts, sendAs, workspaceId } = yield* three
      const agent = sendAs(keyHeaders((yield* makeKey(workspaceId, { requiresApproval: true })).key))
      const { status } = yield* agent("PUT", "/queue/order", {
        posts: posts.toReversed().map(({ id, revision }) => ({ id, revision }))
      })
      assert.strictEqual(status, 403)
    })
  )
})
