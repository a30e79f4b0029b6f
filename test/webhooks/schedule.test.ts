import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { deleteWebhooks, makeWebhook, recordEvents } from "../support/database/webhookFixtures.ts"
import { deliverDue, logOf, withDeliverer } from "./world.ts"

/** What the receivers respond, and the requests that they got: the seconds of their times, and their events. */
const receivers = { status: 500, requests: new Array<readonly [seconds: number, id: string, url: string]>() }

const scripted = Layer.mock(Outbound, {
  post: ({ headers, url }) =>
    Effect.map(DateTime.now, ({ epochMilliseconds }) => {
      receivers.requests.push([Math.round(epochMilliseconds / 1000), headers["webhook-id"] ?? "", url])
      return { status: receivers.status, headers: Headers.empty, beginning: new Uint8Array() }
    })
})

const start = Effect.fn("start")(function* (status: number) {
  yield* deleteWebhooks
  receivers.status = status
  receivers.requests = []
  const workspaceId = yield* makeWorkspace([])
  const { id } = yield* makeWebhook(workspaceId)
  return { workspaceId, id, log: logOf(workspaceId, id) }
})

/** Lets time pass in steps, and delivers what is due after each of them. */
const pass = Effect.fn("pass")(function* (duration: Duration.Input, step: Duration.Input) {
  const steps = Duration.toMillis(duration) / Duration.toMillis(step)
  for (let count = 0; count < steps; count++) {
    yield* TestClock.adjust(step)
    yield* deliverDue
  }
})

/** Lets time pass until the one delivery of a log is attempted again: when it is due, or once its circuit lets it through. */
const awaitAttempt = Effect.fn("awaitAttempt")(function* (log: ReturnType<typeof logOf>) {
  const [delivery] = yield* log
  const due = delivery?.next_attempt_at ?? (yield* Effect.die("No attempt is planned"))
  const before = receivers.requests.length
  yield* TestClock.setTime(DateTime.toEpochMillis(due) - 1000)
  yield* deliverDue
  assert.lengthOf(receivers.requests, before, "An attempt was made before its time")
  yield* TestClock.adjust("1 second")
  yield* deliverDue
  for (let minutes = 0; minutes < 6 && receivers.requests.length === before; minutes++)
    yield* pass("1 minute", "1 minute")
  assert.lengthOf(receivers.requests, before + 1, "No attempt was made although one was due")
})

const hour = 3600

layer(Layer.mergeAll(repoLayer, scripted))("the schedule of deliveries", (it) => {
  it.effect(
    "A delivery that always fails is attempted ten times in three days, always under one id, and then given up",
    () =>
      Effect.gen(function* () {
        const { log, workspaceId } = yield* start(500)
        const begun = Math.round((yield* DateTime.now).epochMilliseconds / 1000)
        yield* recordEvents(workspaceId, 1)
        yield* withDeliverer(
          Effect.gen(function* () {
            yield* deliverDue
            while (receivers.requests.length < 10) yield* awaitAttempt(log)
            yield* pass("1 day", "6 hours")
          })
        ).pipe(Effect.scoped)
        const times = receivers.requests.map(([seconds]) => seconds - begun)
        assert.lengthOf(times, 10)
        const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0))
        const expected = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
        for (const [index, delay] of delays.entries()) {
          const planned = expected[index] ?? 0
          // Up to a fifth by jitter, and up to a pause of the circuit later.
          assert.isAtLeast(delay, planned * 0.8 - 1)
          assert.isAtMost(delay, planned * 1.2 + 360)
        }
        assert.lengthOf(new Set(receivers.requests.map(([, id]) => id)), 1)
        const [delivery] = yield* log
        assert.deepInclude(delivery, { status: "failed", attempts: 10, next_attempt_at: null })
        assert.lengthOf(delivery?.log ?? [], 10)
      })
  )

  it.effect(
    "After five failures one delivery at a time probes, and the first success sends everything that waits",
    () =>
      Effect.gen(function* () {
        const { log, workspaceId } = yield* start(503)
        yield* recordEvents(workspaceId, 40)
        yield* withDeliverer(
          Effect.gen(function* () {
            yield* deliverDue
            // Four and four in flight at once; the fifth failure opened the circuit.
            assert.isAtMost(receivers.requests.length, 8)
            const before = receivers.requests.length
            yield* pass("30 minutes", "5 seconds")
            const probes = receivers.requests.length - before
            assert.isAtLeast(probes, 6)
            assert.isAtMost(probes, 18)
            receivers.status = 200
            receivers.requests = []
            yield* pass("6 minutes", "1 minute")
            assert.strictEqual(new Set(receivers.requests.map(([, id]) => id)).size, receivers.requests.length)
            yield* pass("3 hours", "30 minutes")
          })
        ).pipe(Effect.scoped)
        assert.isTrue((yield* log).every(({ status }) => status === "delivered"))
      })
  )

  it.effect(
    "Five days of failures disable a webhook, of which people are notified once, and what it missed is replayed",
    () =>
      Effect.gen(function* () {
        const { id, log, workspaceId } = yield* start(500)
        const { notifications, webhooks } = yield* Repo
        const since = yield* DateTime.now
        const dailyEvents = Effect.andThen(recordEvents(workspaceId, 1), pass("1 day", "2 hours"))
        yield* withDeliverer(
          Effect.gen(function* () {
            for (let day = 0; day < 4; day++) yield* dailyEvents
            assert.deepInclude(yield* webhooks.get(workspaceId, id), { enabled: true })
            for (let day = 0; day < 3; day++) yield* dailyEvents
            assert.deepInclude(yield* webhooks.get(workspaceId, id), { enabled: false, disabled_reason: "failing" })
            const { data } = yield* notifications.page(workspaceId, 0, 10)
            assert.deepStrictEqual(
              data.map(({ type }) => type),
              ["webhook.disabled"]
            )
            const refused = yield* Effect.flip(webhooks.replay(workspaceId, id, since, 100))
            assert.strictEqual(refused._tag, "InvalidState")
            receivers.status = 200
            yield* webhooks.update(workspaceId, id, { enabled: true })
            yield* deliverDue
            yield* webhooks.replay(workspaceId, id, since, 100)
            yield* deliverDue
            yield* pass("1 day", "2 hours")
          })
        ).pipe(Effect.scoped)
        const deliveries = yield* log
        assert.lengthOf(deliveries, 7)
        assert.isTrue(deliveries.every(({ status }) => status === "delivered"))
      })
  )

  it.effect("What a webhook has received is not replayed, and sent again only if a person asks for it", () =>
    Effect.gen(function* () {
      const { id, log, workspaceId } = yield* start(200)
      const { webhooks } = yield* Repo
      const since = yield* DateTime.now
      yield* recordEvents(workspaceId, 2)
      yield* withDeliverer(
        Effect.gen(function* () {
          yield* deliverDue
          assert.strictEqual(yield* webhooks.replay(workspaceId, id, since, 100), 0)
          const [latest] = yield* log
          if (latest === undefined) return assert.fail()
          yield* webhooks.resend(workspaceId, id, latest.id)
          yield* deliverDue
          const sent = receivers.requests.map(([, eventId]) => eventId)
          assert.lengthOf(sent, 3)
          assert.strictEqual(sent[2], latest.id)
        })
      ).pipe(Effect.scoped)
    })
  )
})
