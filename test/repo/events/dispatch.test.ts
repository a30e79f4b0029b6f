import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { waitingOrEnded } from "../../support/database/interleave.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"
import { deleteWebhooks, lease, makeWebhook, recordEvents, someSlots } from "../../support/database/webhookFixtures.ts"

const query = { limit: 10_000, postId: null, type: null, byKey: null, after: null, before: null }

const start = Effect.gen(function* () {
  yield* deleteWebhooks
  const workspaceId = yield* makeWorkspace([])
  const { id } = yield* makeWebhook(workspaceId)
  const { events, transaction, webhooks } = yield* Repo
  return { workspaceId, id, events, transaction, webhooks }
})

layer(repoLayer)("dispatching events", (it) => {
  it.effect("Several dispatchers at once give every event one position and queue one delivery of it", () =>
    Effect.gen(function* () {
      const { events, id, webhooks, workspaceId } = yield* start
      const other = (yield* anotherRepo).events
      const dispatchAll = (repo: typeof events) =>
        Effect.repeat(repo.dispatch(7), { until: (dispatched) => dispatched.events < 7 })
      yield* Effect.all(
        [
          ...Array.from({ length: 20 }, () => recordEvents(workspaceId, 5)),
          ...Array.from({ length: 6 }, () => dispatchAll(events)),
          ...Array.from({ length: 6 }, () => dispatchAll(other))
        ],
        { concurrency: 8 }
      )
      yield* dispatchAll(events)
      const listed = yield* events.list(workspaceId, query)
      assert.lengthOf(listed, 100)
      assert.lengthOf(new Set(listed.map(({ position }) => position)), 100)
      const queued = yield* webhooks.deliveries(workspaceId, id, { limit: 1000, status: "pending", before: null })
      assert.sameMembers(
        queued.map((delivery) => delivery.id),
        listed.map((event) => event.id)
      )
    })
  )

  it.effect("An event of a transaction that commits late comes after those that were read before it", () =>
    Effect.gen(function* () {
      const { events, transaction, workspaceId } = yield* start
      assert.deepStrictEqual(yield* events.list(workspaceId, query), [])
      yield* recordEvents(workspaceId, 1)
      yield* events.dispatch(100)
      const [known] = yield* events.list(workspaceId, query)
      const recorded = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const late = yield* Effect.forkChild(
        transaction(
          recordEvents(workspaceId, 1).pipe(
            Effect.tap(() => Deferred.succeed(recorded, undefined)),
            Effect.tap(() => Deferred.await(commit))
          )
        )
      )
      yield* Deferred.await(recorded)
      yield* recordEvents(workspaceId, 1)
      yield* events.dispatch(100)
      const [first] = yield* events.list(workspaceId, query)
      if (first === undefined) return assert.fail()
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(late)
      yield* events.dispatch(100)
      const fresh = yield* events.list(workspaceId, { ...query, after: first.position })
      assert.notStrictEqual(first.id, known?.id)
      assert.lengthOf(fresh, 1)
      assert.isTrue((fresh[0]?.id ?? "") < first.id)
    })
  )

  it.effect("An event that nobody follows is stored once, with a position, and dispatched to nobody", () =>
    Effect.gen(function* () {
      yield* deleteWebhooks
      const workspaceId = yield* makeWorkspace([])
      const { events } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      yield* recordEvents(workspaceId, 3)
      assert.deepStrictEqual(yield* events.dispatch(100), { events: 0, deliveries: 0 })
      const stored = sql`SELECT count(DISTINCT position)::int AS positions FROM events WHERE workspace_id = ${workspaceId}::uuid`
      assert.deepStrictEqual(yield* stored, [{ positions: 3 }])
      const before = yield* events.list(workspaceId, query)
      assert.lengthOf(before, 3)
      yield* recordEvents(workspaceId, 1)
      assert.deepStrictEqual(yield* events.dispatch(100), { events: 1, deliveries: 0 })
      assert.lengthOf(yield* events.list(workspaceId, { ...query, after: before[0]?.position ?? 0 }), 1)
    })
  )

  it.effect("Who reads a workspace's events for the first time waits for those that are being recorded", () =>
    Effect.gen(function* () {
      yield* deleteWebhooks
      const workspaceId = yield* makeWorkspace([])
      const { events, transaction } = yield* Repo
      const recorded = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const late = yield* Effect.forkChild(
        transaction(
          recordEvents(workspaceId, 1).pipe(
            Effect.tap(() => Deferred.succeed(recorded, undefined)),
            Effect.tap(() => Deferred.await(commit))
          )
        )
      )
      yield* Deferred.await(recorded)
      yield* recordEvents(workspaceId, 1)
      const listed = yield* Effect.forkChild(events.list(workspaceId, query))
      yield* waitingOrEnded(listed, 1)
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(late)
      assert.lengthOf(yield* Fiber.join(listed), 2)
    })
  )

  it.effect("Pages of events that share a position leave none out", () =>
    Effect.gen(function* () {
      yield* deleteWebhooks
      const workspaceId = yield* makeWorkspace([])
      const { events } = yield* Repo
      yield* recordEvents(workspaceId, 3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE events SET position = 1 WHERE workspace_id = ${workspaceId}::uuid`
      const [first] = yield* events.list(workspaceId, { ...query, limit: 1 })
      if (first === undefined) return assert.fail()
      const rest = yield* events.list(workspaceId, { ...query, before: first })
      assert.lengthOf(rest, 2)
      assert.notInclude(
        rest.map(({ id }) => id),
        first.id
      )
    })
  )

  it.effect("A dispatch that dies before it commits has done nothing, and the next one does all of it", () =>
    Effect.gen(function* () {
      const { events, id, transaction, webhooks, workspaceId } = yield* start
      yield* recordEvents(workspaceId, 3)
      yield* transaction(Effect.andThen(events.dispatch(100), Effect.die("killed"))).pipe(Effect.exit)
      assert.deepStrictEqual(yield* events.list(workspaceId, query), [])
      assert.lengthOf(yield* webhooks.claim(someSlots, lease), 0)
      assert.deepStrictEqual(yield* events.dispatch(100), { events: 3, deliveries: 3 })
      const deliveries = yield* webhooks.deliveries(workspaceId, id, { limit: 10, status: null, before: null })
      assert.lengthOf(deliveries, 3)
    })
  )

  it.effect("An event whose change is rolled back was never recorded", () =>
    Effect.gen(function* () {
      const { events, transaction, workspaceId } = yield* start
      yield* transaction(Effect.andThen(recordEvents(workspaceId, 1), Effect.fail("refused"))).pipe(Effect.exit)
      assert.deepStrictEqual(yield* events.dispatch(100), { events: 0, deliveries: 0 })
    })
  )

  it.effect("A webhook is sent only the types of its filter", () =>
    Effect.gen(function* () {
      const { events, webhooks, workspaceId } = yield* start
      yield* webhooks.create(workspaceId, {
        url: "https://hooks.example/b",
        description: null,
        events: ["post.failed"]
      })
      yield* recordEvents(workspaceId, 2)
      assert.deepStrictEqual(yield* events.dispatch(100), { events: 2, deliveries: 2 })
    })
  )

  it.effect("Events and deliveries are deleted batch by batch once they were kept long enough", () =>
    Effect.gen(function* () {
      const { events, id, webhooks, workspaceId } = yield* start
      yield* recordEvents(workspaceId, 5)
      yield* events.dispatch(100)
      // Ids contain times, and other tests might have made ids ahead of this test's clock.
      const later = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
      const counts = yield* Effect.all([
        webhooks.removeDeliveriesBefore(later, 3),
        webhooks.removeDeliveriesBefore(later, 3),
        events.removeBefore(later, 4)
      ])
      assert.deepStrictEqual(counts, [3, 2, 4])
      assert.deepStrictEqual(yield* webhooks.deliveries(workspaceId, id, { limit: 9, status: null, before: null }), [])
      yield* webhooks.remove(workspaceId, id)
      yield* Effect.repeat(webhooks.removeDeliveriesBefore(later, 3), { until: (removed) => removed < 3 })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT FROM webhooks`, [])
    })
  )
})
