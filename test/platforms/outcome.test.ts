import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { failRateLimited, platformDetail } from "../../src/platforms/outcome.ts"

describe("platformDetail", () => {
  it("The detail is one line of at most 300 characters", () => {
    assert.strictEqual(platformDetail(" a\u0000b\n\tc "), "a b c")
    assert.strictEqual(platformDetail("word ".repeat(100)).length, 301)
  })

  it("The detail does not contain anything that could be a token", () => {
    assert.strictEqual(
      platformDetail(`Bad token eyJ0${"aB3_".repeat(20)}.x-y for did:plc:abc`),
      "Bad token … for did:plc:abc"
    )
  })
})

describe("A rate limit", () => {
  it.effect("ends when the platform's clock says, also where this process's clock is ahead", () =>
    Effect.gen(function* () {
      const now = Date.UTC(2030, 0, 31, 12)
      yield* TestClock.setTime(now)
      // The platform's clock is a minute behind.
      const headers = Headers.fromInput({
        date: new Date(now - 60_000).toUTCString(),
        reset: String((now - 60_000) / 1000 + 20)
      })
      const limit = failRateLimited("X", { status: 429, headers, body: null }, ["reset"], Duration.minutes(15))
      const { until } = yield* Effect.flip(limit)
      assert.strictEqual(DateTime.toEpochMillis(until) - now, 20_000)
    })
  )
})
