import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makeWorker } from "../../src/worker/makeWorker.ts"
import { MayClaim } from "../../src/worker/MayClaim.ts"

describe("makeWorker", () => {
  it.effect("A worker claims nothing while its process may not claim, and goes on once it may", () =>
    Effect.gen(function* () {
      const mayClaim = yield* Ref.make(false)
      const claims = yield* Ref.make(0)
      const worker = yield* makeWorker({
        name: "Test",
        batching: { endsPerTick: 1, endsDelay: 0 },
        drainTimeout: 0,
        claim: Effect.as(
          Ref.update(claims, (count) => count + 1),
          ["work"]
        ),
        begin: () => Effect.succeed(false)
      }).pipe(Effect.provideService(MayClaim, Ref.get(mayClaim)))
      assert.deepStrictEqual([yield* worker.tick, yield* Ref.get(claims)], [0, 0])
      yield* Ref.set(mayClaim, true)
      assert.deepStrictEqual([yield* worker.tick, yield* Ref.get(claims)], [1, 1])
    })
  )

  it.effect.each([
    ["ends by freeing its slot", "is not", Effect.succeed(false)],
    ["ends by making more due", "is", Effect.succeed(true)],
    ["fails unexpectedly", "is", Effect.die("A mistake")]
  ] as const)("Where a look found nothing left, a worker whose work %s %s woken", ([_, verb, work]) =>
    Effect.gen(function* () {
      const proceed = yield* Deferred.make<void>()
      const worker = yield* makeWorker({
        name: "Test",
        batching: { endsPerTick: 1, endsDelay: 0 },
        drainTimeout: 0,
        claim: Effect.succeed(["work"]),
        begin: () => Effect.andThen(Deferred.await(proceed), work)
      })
      yield* worker.tickAndLookAhead(Effect.succeed(false))
      yield* Deferred.succeed(proceed, undefined)
      yield* Effect.exit(worker.idle)
      yield* TestClock.adjust(0)
      const waiting = yield* Effect.forkChild(worker.woken, { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(waiting.pollUnsafe() !== undefined, verb === "is")
    })
  )
})
