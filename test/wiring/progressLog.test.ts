import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { withProgress } from "../../src/domain/progress.ts"
import { progressLogLayer } from "../../src/wiring/progressLog.ts"

describe("progressLogLayer", () => {
  it.effect("The service logs how far long work has come after five seconds and then every half minute", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const end = yield* Deferred.make<void>()
      const work = yield* withProgress((report) => {
        report({ _tag: "Part", title: "Building index", part: 2, parts: 3, detail: "posts_by_tag" })
        return Deferred.await(end)
      }).pipe(
        Effect.provide([progressLogLayer, Logger.layer([Logger.make(({ message }) => void lines.push(message))])]),
        Effect.forkChild
      )
      const after = (time: string) => [`Building index 2 of 3: posts_by_tag, ${time} so far`]
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(lines, [after("5 s")])
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(lines, [after("5 s"), after("35 s")])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(work)
    })
  )
})
