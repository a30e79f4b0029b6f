import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { withGrace, withLimit } from "../../src/domain/grace.ts"

describe("What goes on for a while after an interruption", () => {
  it.effect("What ends in that time has its result, and the interruption takes effect after it", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const running = yield* Effect.sleep("4 seconds").pipe(
        Effect.as("result"),
        withGrace("5 seconds"),
        Effect.tap((result) => Effect.sync(() => steps.push(result))),
        Effect.uninterruptible,
        Effect.andThen(Effect.sync(() => steps.push("next"))),
        Effect.forkChild({ startImmediately: true })
      )
      running.interruptUnsafe()
      yield* TestClock.adjust("4 seconds")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
      assert.deepStrictEqual(steps, ["result"])
    })
  )

  it.effect("What hangs is interrupted then, and not waited for", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const hanging = Effect.onInterrupt(Effect.never, () =>
        Effect.andThen(Deferred.succeed(interrupted, undefined), Effect.never)
      )
      const running = yield* Effect.forkChild(withGrace("5 seconds")(hanging), { startImmediately: true })
      running.interruptUnsafe()
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("1 milli")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("Without an interruption it takes as long as it needs, and its failure stays one", () =>
    Effect.gen(function* () {
      const failing = Effect.andThen(Effect.sleep("1 minute"), Effect.fail("refused"))
      const running = yield* Effect.forkChild(withGrace("5 seconds")(failing), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.await(running), Exit.fail("refused"))
    })
  )

  it.effect("What has a limit is not waited for beyond it, and fails as it would without one", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(withLimit("2 seconds")(Effect.uninterruptible(Effect.never)), {
        startImmediately: true
      })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.await(running), Exit.void)
      assert.deepStrictEqual(yield* Effect.exit(withLimit("2 seconds")(Effect.fail("refused"))), Exit.fail("refused"))
    })
  )
})
