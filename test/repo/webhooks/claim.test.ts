import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { repeatConcurrently } from "../../support/database/duePosts.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import {
  aResult,
  deleteWebhooks,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../../support/database/webhookFixtures.ts"

/** A workspace with webhooks and dispatched events for each of them. */
const start = Effect.fn("start")(function* (count: number, events: number) {
  const { events: repo, webhooks } = yield* Repo
  yield* deleteWebhooks
  const workspaceId = yield* makeWorkspace([])
  const ids = (yield* Effect.replicateEffect(makeWebhook(workspaceId), count)).map(({ id }) => id)
  yield* recordEvents(workspaceId, events)
  yield* repo.dispatch(1000)
  return { workspaceId, ids, webhooks, claim: webhooks.claim(someSlots, lease) }
})

layer(repoLayer)("claiming deliveries", (it) => {
  it.effect("At most four deliveries of a webhook are in flight, whoever claims", () =>
    Effect.gen(function* () {
      const { claim } = yield* start(1, 10)
      const claims = (yield* repeatConcurrently(4, claim)).flat()
      assert.lengthOf(claims, 4)
      assert.lengthOf(yield* claim, 0)
      yield* settleAs(claims.slice(0, 2), aResult(200))
      assert.lengthOf(yield* claim, 2)
    })
  )

  it.effect("What an attempt came to changes nothing of a delivery that another process has claimed since", () =>
    Effect.gen(function* () {
      const { claim, ids, webhooks, workspaceId } = yield* start(1, 1)
      const late = yield* claim
      yield* TestClock.adjust("46 seconds")
      const current = yield* claim
      assert.lengthOf(current, 1)
      const read = Effect.gen(function* () {
        const [id] = ids
        const query = { limit: 10, status: null, before: null }
        const [delivery] = id === undefined ? [] : yield* webhooks.deliveries(workspaceId, id, query)
        return [delivery?.status, delivery?.log.map(({ status }) => status)]
      })
      yield* settleAs(late, aResult(200))
      assert.deepStrictEqual(yield* read, ["pending", []])
      yield* settleAs(late, aResult(500))
      assert.deepStrictEqual(yield* read, ["pending", []])
      yield* settleAs(current, aResult(204))
      assert.deepStrictEqual(yield* read, ["delivered", [204]])
    })
  )

  it.effect("Every delivery is claimed once, in the order of its events, until all are delivered", () =>
    Effect.gen(function* () {
      const { claim, ids, webhooks, workspaceId } = yield* start(2, 9)
      const claimed: Array<string> = []
      let claims = yield* claim
      while (claims.length > 0) {
        claimed.push(...claims.map(({ eventId, webhookId }) => `${webhookId} ${eventId}`))
        yield* settleAs(claims, aResult(200))
        claims = yield* claim
      }
      assert.lengthOf(claimed, 18)
      assert.lengthOf(new Set(claimed), 18)
      for (const id of ids) {
        const deliveries = yield* webhooks.deliveries(workspaceId, id, {
          limit: 100,
          status: "delivered",
          before: null
        })
        assert.lengthOf(deliveries, 9)
      }
    })
  )

  it.effect("Where there are few slots, each webhook gets its first delivery before any gets a second", () =>
    Effect.gen(function* () {
      const { webhooks } = yield* start(6, 5)
      const claims = yield* webhooks.claim({ limit: 6, strained: 6 }, lease)
      assert.lengthOf(new Set(claims.map(({ webhookId }) => webhookId)), 6)
    })
  )

  it.effect("A webhook with a long backlog waits for its turn behind one that has just an event", () =>
    Effect.gen(function* () {
      const { webhooks } = yield* start(3, 50)
      const few = { limit: 4, strained: 4 }
      yield* settleAs(yield* webhooks.claim(few, lease), aResult(200))
      const other = yield* makeWorkspace([])
      const { id } = yield* makeWebhook(other)
      yield* recordEvents(other, 1)
      yield* TestClock.adjust("10 millis")
      yield* (yield* Repo).events.dispatch(10)
      const claimed: Array<string> = []
      for (let turn = 0; turn < 3; turn++) {
        const claims = yield* webhooks.claim(few, lease)
        claimed.push(...claims.map(({ webhookId }) => webhookId))
        yield* TestClock.adjust("10 millis")
        yield* settleAs(claims, aResult(200))
      }
      assert.include(claimed, id)
    })
  )

  it.effect("Webhooks whose last delivery failed share their slots, and leave the others to those that respond", () =>
    Effect.gen(function* () {
      const { claim, ids, webhooks } = yield* start(8, 40)
      const failing = new Set<string>(ids.slice(0, 6))
      const first = yield* claim
      assert.lengthOf(first, 32)
      yield* settleAs(
        first.filter(({ webhookId }) => failing.has(webhookId)),
        aResult(500)
      )
      yield* settleAs(
        first.filter(({ webhookId }) => !failing.has(webhookId)),
        aResult(200)
      )
      const next = yield* webhooks.claim({ limit: 64, strained: 3 }, lease)
      assert.lengthOf(
        next.filter(({ webhookId }) => failing.has(webhookId)),
        3
      )
      assert.lengthOf(
        next.filter(({ webhookId }) => !failing.has(webhookId)),
        8
      )
    })
  )

  it.effect(
    "A claim whose process died is taken over when its lease has ended, and the late outcome changes nothing",
    () =>
      Effect.gen(function* () {
        const { claim, ids, webhooks, workspaceId } = yield* start(1, 1)
        const [lost] = yield* claim
        assert.lengthOf(yield* claim, 0)
        yield* TestClock.adjust(lease)
        const [taken] = yield* claim
        assert.strictEqual(taken?.eventId, lost?.eventId)
        assert.strictEqual(taken?.attempts, 2)
        if (lost === undefined || ids[0] === undefined) return assert.fail()
        yield* settleAs([lost], aResult(200))
        const query = { limit: 1, status: null, before: null }
        const [pending] = yield* webhooks.deliveries(workspaceId, ids[0], query)
        assert.deepStrictEqual([pending?.status, pending?.log.length], ["pending", 0])
      })
  )

  it.effect("A delivery in flight that somebody sends again stays as it is, and is sent once", () =>
    Effect.gen(function* () {
      const { claim, webhooks, workspaceId } = yield* start(1, 1)
      const [claimed] = yield* claim
      if (claimed === undefined) return assert.fail("Nothing was due")
      const { eventId, webhookId } = claimed
      assert.strictEqual((yield* webhooks.resend(workspaceId, webhookId, eventId)).attempts, 1)
      assert.deepStrictEqual(yield* claim, [])
      yield* settleAs([claimed], aResult(204))
      const query = { limit: 10, status: null, before: null }
      const [delivery] = yield* webhooks.deliveries(workspaceId, webhookId, query)
      assert.deepStrictEqual([delivery?.status, delivery?.attempts], ["delivered", 1])
    })
  )

  it.effect("While publishing is held, as in a restored database, nothing is delivered", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { claim } = yield* start(1, 1)
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (now())`
      assert.deepStrictEqual(yield* claim, [])
      yield* sql`DELETE FROM publishing_state`
      assert.lengthOf(yield* claim, 1)
    })
  )

  it.effect("A released delivery is due at once, and its attempt does not count", () =>
    Effect.gen(function* () {
      const { claim, webhooks } = yield* start(1, 2)
      yield* webhooks.release(yield* claim)
      assert.deepStrictEqual(
        (yield* claim).map(({ attempts }) => attempts),
        [1, 1]
      )
    })
  )

  it.effect("An event that is recorded while another is dispatched and claimed is found by the next claim", () =>
    Effect.gen(function* () {
      const { claim, workspaceId, webhooks } = yield* start(1, 1)
      const { events } = yield* Repo
      let delivered = 0
      const deliver = Effect.flatMap(claim, (claims) => {
        delivered += claims.length
        return claims.length === 0 ? Effect.void : settleAs(claims, aResult(204))
      })
      for (let round = 0; round < 40; round++) {
        yield* Effect.all([recordEvents(workspaceId, 1), events.dispatch(100), deliver, deliver], { concurrency: 4 })
      }
      yield* events.dispatch(1000)
      while ((yield* webhooks.backlog).webhooks > 0) yield* deliver
      assert.strictEqual(delivered, 41)
    })
  )

  it.effect(
    "Nothing is claimed of a webhook that is disabled or deleted, and what waited goes on when it is enabled",
    () =>
      Effect.gen(function* () {
        const { claim, ids, webhooks, workspaceId } = yield* start(3, 1)
        const [first, second] = ids
        if (first === undefined || second === undefined) return assert.fail()
        yield* webhooks.update(workspaceId, first, { enabled: false })
        yield* webhooks.remove(workspaceId, second)
        assert.deepStrictEqual(
          (yield* claim).map(({ webhookId }) => webhookId),
          ids.slice(2)
        )
        yield* webhooks.update(workspaceId, first, { enabled: true })
        assert.deepStrictEqual(
          (yield* claim).map(({ webhookId }) => webhookId),
          [first]
        )
      })
  )
})
