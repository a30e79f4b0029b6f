import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { requireMinimumRate, requireTotalTime } from "../../../src/media/receive/minimumRate.ts"

/** A chunk of so many bytes each second. */
const sender = (bytes: number, seconds: number) =>
  Stream.fromIterable(Array.from({ length: seconds }, () => new Uint8Array(bytes))).pipe(
    Stream.mapEffect((chunk) => Effect.delay(Effect.succeed(chunk), "1 second"))
  )

const outcome = Effect.fn(function* (bytes: number) {
  const running = yield* Effect.forkChild(Effect.exit(Stream.runDrain(requireMinimumRate(sender(bytes, 120)))))
  yield* TestClock.adjust("3 minutes")
  return (yield* Fiber.join(running))._tag
})

describe("requireMinimumRate", () => {
  it.effect("A sender that brings 50 kB a second goes on for as long as it takes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(51_000), "Success")
    })
  )

  it.effect("A sender that brings less over 30 seconds is cut off", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(49_000), "Failure")
    })
  )
})

describe("requireTotalTime", () => {
  const outcomeOf = Effect.fn(function* (bytes: number, seconds: number) {
    const running = yield* Effect.forkChild(Effect.exit(Stream.runDrain(requireTotalTime(sender(bytes, seconds)))))
    yield* TestClock.adjust("1 hour")
    return (yield* Fiber.join(running))._tag
  })

  it.effect("A sender of 60 kB a second has some minutes, which are enough for a picture but not for a video", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcomeOf(60_000, 150), "Success")
      assert.strictEqual(yield* outcomeOf(60_000, 600), "Failure")
    })
  )

  it.effect("A sender of 260 kB a second goes on for as long as it takes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcomeOf(260_000, 1_800), "Success")
    })
  )
})
