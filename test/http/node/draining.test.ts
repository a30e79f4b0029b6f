import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { startServer } from "../../support/http/server.ts"

describe("drainLayer", () => {
  it.effect("A server that is to stop serves for a while, is not ready meanwhile", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(startServer({ drainTime: "2 seconds" }), scope)
      const ask = (path: string) => Effect.promise(() => fetch(`${url}${path}`))
      const before = yield* ask("/readyz")
      assert.deepStrictEqual([before.status, before.headers.get("connection")], [200, "keep-alive"])
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      const during = yield* ask("/readyz")
      assert.deepStrictEqual([during.status, during.headers.get("connection")], [503, "keep-alive"])
      assert.include(yield* Effect.promise(() => during.text()), "process: stops")
      assert.strictEqual((yield* ask("/healthz")).status, 200)
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("1 second").pipe(
        Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
        Effect.repeat({ until: () => stopping.pollUnsafe() !== undefined })
      )
      yield* Fiber.join(stopping)
      const after = yield* Effect.exit(Effect.tryPromise(() => fetch(`${url}/healthz`)))
      assert.isTrue(Exit.isFailure(after))
    })
  )
})
