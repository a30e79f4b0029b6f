import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import {
  disabledAfter,
  isCircuitOpen,
  maxDeliveryAttempts,
  settleDelivery,
  settleHealth,
  type WebhookHealth
} from "../../../src/domain/webhooks/deliveryPolicy.ts"
import { aResult } from "../../support/database/webhookFixtures.ts"

const now = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
const healthy: WebhookHealth = {
  failures: 0,
  failingSince: null,
  heldUntil: null,
  strained: false,
  disabledReason: null
}
const secondsUntil = (time: DateTime.Utc | null) =>
  time === null ? null : Math.round(Duration.toSeconds(DateTime.distance(now, time)))

const fail = (health: WebhookHealth, times: number): WebhookHealth =>
  Array.from({ length: times }).reduce<WebhookHealth>((state) => settleHealth(state, aResult(500), now, 0.5), health)

describe("settleDelivery", () => {
  it("A delivery is attempted ten times within 76 hours, and then it has failed", () => {
    const delays = Array.from({ length: maxDeliveryAttempts }, (_, index) =>
      settleDelivery(index + 1, aResult(500), now, 0.5)
    )
    assert.deepStrictEqual(
      delays.map(({ nextAt }) => secondsUntil(nextAt)),
      [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, null]
    )
    assert.deepStrictEqual(delays.at(-1)?.status, "failed")
    assert.isTrue(delays.slice(0, -1).every(({ status }) => status === "pending"))
  })

  it("Jitter varies a delay by up to a fifth either way", () => {
    const at = (jitter: number) => secondsUntil(settleDelivery(2, aResult(null), now, jitter).nextAt)
    assert.deepStrictEqual([at(0), at(1)], [240, 360])
  })

  it("Any 2xx delivers, and nothing else", () => {
    const delivered = [200, 202, 204, 299].map((status) => settleDelivery(1, aResult(status), now, 0).status)
    const not = [null, 101, 199, 300, 304, 400, 500].map((status) => settleDelivery(1, aResult(status), now, 0).status)
    assert.deepStrictEqual([new Set(delivered), new Set(not)], [new Set(["delivered"]), new Set(["pending"])])
  })

  it("Retry-After delays an attempt by up to a day, and never makes it earlier", () => {
    const after = (seconds: number, attempts: number) =>
      secondsUntil(settleDelivery(attempts, aResult(503, { retryAfter: Duration.seconds(seconds) }), now, 0.5).nextAt)
    assert.deepStrictEqual([after(60, 1), after(60, 2), after(1e9, 1)], [60, 300, 86_400])
  })
})

describe("settleHealth", () => {
  it("The circuit opens after five failures in a row, and its pauses grow from 5 seconds to 5 minutes", () => {
    assert.deepStrictEqual(
      [4, 5, 6, 7, 8, 9, 10, 11, 12, 1000].map((times) => secondsUntil(fail(healthy, times).heldUntil)),
      [null, 5, 10, 20, 40, 80, 160, 300, 300, 300]
    )
    assert.deepStrictEqual(
      [4, 5].map((times) => isCircuitOpen(fail(healthy, times))),
      [false, true]
    )
  })

  it("A success closes the circuit and forgets the failures", () => {
    assert.deepStrictEqual(settleHealth(fail(healthy, 50), aResult(204), now, 0.5), healthy)
  })

  it("A webhook that responds slowly or fails shares the slots of such webhooks until it responds fast", () => {
    const slow = settleHealth(healthy, aResult(200, { duration: Duration.seconds(6) }), now, 0.5)
    assert.isTrue(slow.strained)
    assert.isTrue(fail(healthy, 1).strained)
    assert.isFalse(settleHealth(slow, aResult(200), now, 0.5).strained)
  })

  it("Five days of nothing but failures disable a webhook, and one success starts the days anew", () => {
    const failing = fail(healthy, 1)
    const at = (later: Duration.Duration) => DateTime.addDuration(now, later)
    const before = Duration.subtract(disabledAfter, Duration.seconds(1))
    assert.isNull(settleHealth(failing, aResult(500), at(before), 0).disabledReason)
    assert.strictEqual(settleHealth(failing, aResult(null), at(disabledAfter), 0).disabledReason, "failing")
    const again = settleHealth(settleHealth(failing, aResult(200), at(before), 0), aResult(500), at(disabledAfter), 0)
    assert.deepInclude(again, { failures: 1, disabledReason: null })
  })

  it("410 disables a webhook at once, and one that a person disabled stays so", () => {
    assert.strictEqual(settleHealth(healthy, aResult(410), now, 0).disabledReason, "gone")
    const manual = { ...healthy, disabledReason: "manual" } as const
    assert.strictEqual(settleHealth(manual, aResult(410), now, 0).disabledReason, "manual")
  })
})
