import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { Headers } from "effect/http"
import { limitedUntil } from "../../src/platforms/outcome.ts"

/** How long a limit lasts that the platform resets after some seconds, on a process whose clock is ahead of the platform's. */
const lasts = (seconds: number, ahead: Duration.Input) => {
  const platform = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
  const now = DateTime.addDuration(platform, ahead)
  const reset = String(DateTime.toEpochMillis(platform) / 1000 + seconds)
  const headers = Headers.fromInput({ date: DateTime.toDateUtc(platform).toUTCString(), reset })
  const response = { status: 429, headers, body: null }
  const { until } = limitedUntil(
    { platform: "X", response, resetHeaders: ["reset"], defaultWait: Duration.minutes(5) },
    now
  )
  return Duration.toSeconds(DateTime.distance(now, until))
}

describe("A rate limit", () => {
  it.each([
    ["an hour and a half fast", 90],
    ["a quarter of an hour fast", 15],
    ["two hours slow", -120]
  ] as const)("ends when the platform says on a process whose clock is %s", (_, minutes) => {
    assert.strictEqual(lasts(900, Duration.minutes(minutes)), 900)
  })

  it("ends when the platform's clock says, also where this process's clock is ahead", () => {
    assert.strictEqual(lasts(20, "1 minute"), 20)
  })
})
