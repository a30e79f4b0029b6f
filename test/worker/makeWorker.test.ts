import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
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
        begin: () => Effect.void
      }).pipe(Effect.provideService(MayClaim, Ref.get(mayClaim)))
      assert.deepStrictEqual([yield* worker.tick, yield* Ref.get(claims)], [0, 0])
      yield* Ref.set(mayClaim, true)
      assert.deepStrictEqual([yield* worker.tick, yield* Ref.get(claims)], [1, 1])
    })
  )
})
