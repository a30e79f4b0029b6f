import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, type Duration, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { remindOfApprovals } from "../../src/notifier/approvalReminders.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts } from "../support/database/duePosts.ts"
import { anotherRepo } from "../support/database/testDatabase.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../support/http/team.ts"

interface Told {
  readonly title: string
  readonly message: string
  readonly action_url: string
  readonly read: boolean
  readonly metadata: { readonly reminder?: string }
}

const start = Effect.gen(function* () {
  yield* deletePosts
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const asPerson = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, sessionHeaders(team.cookie), body)
  const timeIn = (duration: Duration.Input) =>
    Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.addDuration(now, duration)))
  const request = Effect.fnUntraced(function* (inTime: Duration.Input) {
    const body = { content: "Hello", platforms: ["twitter"], schedule_at: yield* timeIn(inTime) }
    const created = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(agent.key), body)
    assert.strictEqual(created.status, 201, JSON.stringify(created.body))
    return String(created.body.id)
  })
  const list = Effect.map(
    sendJson(`${url}/v1/notifications`, "GET", keyHeaders(team.key)),
    ({ body }): ReadonlyArray<Told> => body.data
  )
  /** Newest first: the reminder, and whether it is read. */
  const told = Effect.map(list, (all) => all.map(({ metadata, read }) => [metadata.reminder ?? "request", read]))
  return { ...team, list, asPerson, timeIn, request, told }
})

layer(Layer.merge(databaseServerLayer(), Logger.layer([])))("A post that waits for approval", (it) => {
  it.effect("People are reminded once after a day and once two hours before its time", () =>
    Effect.gen(function* () {
      const { list, request, told } = yield* start
      const id = yield* request("3 days")
      yield* TestClock.adjust("1439 minutes")
      yield* remindOfApprovals
      assert.deepStrictEqual(yield* told, [["request", false]])
      yield* TestClock.adjust("1 minute")
      yield* remindOfApprovals
      yield* remindOfApprovals
      // The reminder takes the place of the request.
      assert.deepStrictEqual(yield* told, [
        ["waiting", false],
        ["request", true]
      ])
      const [reminder] = yield* list
      assert.strictEqual(reminder?.title, "A post still waits for approval")
      assert.strictEqual(reminder?.message, "“Hello” has waited for a day: approve or reject it")
      assert.strictEqual(reminder?.action_url, `/posts/${id}`)
      yield* TestClock.adjust("45 hours")
      yield* remindOfApprovals
      assert.lengthOf(yield* told, 2)
      yield* TestClock.adjust("1 hour")
      yield* remindOfApprovals
      yield* remindOfApprovals
      assert.deepStrictEqual(yield* told, [
        ["due", false],
        ["waiting", true],
        ["request", true]
      ])
      yield* TestClock.adjust("3 hours")
      yield* remindOfApprovals
      assert.lengthOf(yield* told, 3)
    })
  )

  it.effect("A request within the last two hours is not repeated", () =>
    Effect.gen(function* () {
      const { request, told } = yield* start
      yield* request("119 minutes")
      yield* TestClock.adjust("1 hour")
      yield* remindOfApprovals
      assert.deepStrictEqual(yield* told, [["request", false]])
    })
  )

  it.effect("Another time is near again", () =>
    Effect.gen(function* () {
      const { asPerson, request, timeIn, told } = yield* start
      const id = yield* request("5 hours")
      yield* TestClock.adjust("3 hours")
      yield* remindOfApprovals
      const moved = yield* asPerson("PATCH", `/${id}`, {
        scheduled_at: yield* timeIn("10 hours"),
        keep_approval_request: true
      })
      assert.strictEqual(moved.status, 200, JSON.stringify(moved.body))
      yield* remindOfApprovals
      assert.lengthOf(yield* told, 2)
      yield* TestClock.adjust("8 hours")
      yield* remindOfApprovals
      assert.deepStrictEqual(
        (yield* told).map(([reminder]) => reminder),
        ["due", "due", "request"]
      )
    })
  )

  it.effect.each<readonly [string, string, string, object?]>([
    ["approved", "POST", "/approve", { revision: 1 }],
    ["rejected", "POST", "/reject", { revision: 1, reason: "No" }],
    ["changed", "PATCH", "", { content: "Other" }],
    ["deleted", "DELETE", ""]
  ])("Nobody is reminded of one that was %s", ([, method, path, body]) =>
    Effect.gen(function* () {
      const { asPerson, request, told } = yield* start
      const id = yield* request("3 days")
      yield* TestClock.adjust("1 day")
      const answer = yield* asPerson(method, `/${id}${path}`, body)
      assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
      yield* remindOfApprovals
      assert.deepStrictEqual(yield* told, [["request", true]])
    })
  )

  it.effect("A process that looks while another one reminds waits for it, and reminds nobody", () =>
    Effect.gen(function* () {
      const { request, told } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Repo
      yield* request("3 days")
      yield* TestClock.adjust("1 day")
      const reminded = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        transaction(
          Effect.gen(function* () {
            yield* remindOfApprovals
            yield* Deferred.succeed(reminded, undefined)
            yield* Deferred.await(second)
          })
        )
      )
      yield* Deferred.await(reminded)
      const elsewhere = yield* Effect.forkChild(
        Effect.ensuring(
          Effect.provideService(remindOfApprovals, Repo, yield* anotherRepo),
          Deferred.succeed(second, undefined)
        )
      )
      const waits = sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      yield* Effect.raceFirst(Deferred.await(second), Effect.repeat(waits, { until: (waiting) => waiting.length > 0 }))
      yield* Deferred.succeed(second, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(elsewhere)
      assert.deepStrictEqual(yield* told, [
        ["waiting", false],
        ["request", true]
      ])
    })
  )
})
