import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeDeadlines } from "../../src/platforms/deadlines.ts"
import { capturedTelemetryLayer, Log } from "../support/telemetry/capturedTelemetry.ts"

/** Deadlines of 20 seconds, and the names of what was given up. */
const setup = Effect.gen(function* () {
  const { add } = yield* makeDeadlines(Duration.seconds(20))
  const timedOut: Array<string> = []
  return { timedOut, add: (name: string) => add(() => void timedOut.push(name)), addFailing: () => add(mistake) }
})

const mistake = () => {
  throw new Error("A mistake")
}

describe("Deadlines", () => {
  it.effect("Each is given up after its own time, unless it was forgotten", () =>
    Effect.gen(function* () {
      const { add, timedOut } = yield* setup
      add("first")
      yield* TestClock.adjust("10 seconds")
      const forget = add("second")
      add("third")
      yield* TestClock.adjust("9999 millis")
      assert.isEmpty(timedOut)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(timedOut, ["first"])
      forget()
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(timedOut, ["first", "third"])
    })
  )

  it.effect("One that can't be given up keeps no other from it", () =>
    Effect.gen(function* () {
      const { add, addFailing, timedOut } = yield* setup
      addFailing()
      add("beside")
      yield* TestClock.adjust("1 second")
      add("later")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(timedOut, ["beside", "later"])
      assert.lengthOf(
        (yield* Log).filter(({ level }) => level === "Error"),
        1
      )
    }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))
  )
})
