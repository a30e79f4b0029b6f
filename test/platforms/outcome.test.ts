import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { failRateLimited } from "../../src/platforms/outcome.ts"

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
