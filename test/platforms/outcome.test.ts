import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { failRateLimited } from "../../src/platforms/outcome.ts"

describe("A rate limit", () => {
  it.effect.each([
    ["an hour and a half fast", 90],
    ["a quarter of an hour fast", 15],
    ["two hours slow", -120]
  ] as const)("ends when the platform says on a process whose clock is %s", ([, minutes]) =>
    Effect.gen(function* () {
      const platform = Date.UTC(2030, 0, 31, 12)
      const now = platform + minutes * 60_000
      yield* TestClock.setTime(now)
      const headers = Headers.fromInput({
        date: new Date(platform).toUTCString(),
        reset: String(platform / 1000 + 900)
      })
      const limit = failRateLimited("X", { status: 429, headers, body: null }, ["reset"], Duration.minutes(5))
      const { until } = yield* Effect.flip(limit)
      assert.strictEqual(DateTime.toEpochMillis(until) - now, 900_000)
    })
  )

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
