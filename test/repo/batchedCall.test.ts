import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { makeBatchedCall } from "../../src/repo/batchedCall.ts"

const makeRecorded = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const read = makeBatchedCall((keys: ReadonlyArray<number>) =>
    Effect.suspend(() => {
      batches.push(keys)
      return keys.includes(0)
        ? Effect.fail("no answer")
        : Effect.succeed(keys.map((key) => (key < 0 ? Exit.fail(`${key} is unknown`) : Exit.succeed(key * 2))))
    })
  )
  return { batches, readAll: Effect.forEach((key: number) => Effect.result(read(key)), { concurrency: "unbounded" }) }
}

describe("makeBatchedCall", () => {
  it.effect("Keys that are asked for at once are read together, and each gets its own result", () =>
    Effect.gen(function* () {
      const { batches, readAll } = makeRecorded()
      assert.deepStrictEqual(yield* readAll([3, -1, 3]), [
        Result.succeed(6),
        Result.fail("-1 is unknown"),
        Result.succeed(6)
      ])
      assert.deepStrictEqual(yield* readAll([4]), [Result.succeed(8)])
      assert.deepStrictEqual(batches, [[3, -1, 3], [4]])
    })
  )

  it.effect("What a read fails with, each of its keys fails with", () =>
    Effect.gen(function* () {
      const { readAll } = makeRecorded()
      assert.deepStrictEqual(yield* readAll([1, 0]), [Result.fail("no answer"), Result.fail("no answer")])
    })
  )

  it.effect("A key whose row ends the statement for all fails alone", () =>
    Effect.gen(function* () {
      const read = makeBatchedCall((keys: ReadonlyArray<number>) =>
        keys.includes(0) ? Effect.die("a wrong row") : Effect.succeed(keys.map((key) => Exit.succeed(key * 2)))
      )
      const results = yield* Effect.forEach([1, 0, 2], (key) => Effect.exit(read(key)), { concurrency: "unbounded" })
      assert.deepStrictEqual(results, [Exit.succeed(2), Exit.die("a wrong row"), Exit.succeed(4)])
    })
  )

  it.effect("An item that throws before its statement is sent fails alone", () =>
    Effect.gen(function* () {
      const call = makeBatchedCall((items: ReadonlyArray<number>) => {
        if (items.includes(0)) throw new Error("It can't be encoded")
        return Effect.succeed(items.map((item) => Exit.succeed(item * 2)))
      })
      const results = yield* Effect.forEach([1, 0, 2], (item) => Effect.exit(call(item)), { concurrency: "unbounded" })
      assert.deepStrictEqual(results.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.effect("More than 32 keys are read 32 at a time", () =>
    Effect.gen(function* () {
      const { batches, readAll } = makeRecorded()
      yield* readAll(Array.from({ length: 70 }, (_, index) => index + 1))
      assert.deepStrictEqual(
        batches.map(({ length }) => length),
        [32, 32, 6]
      )
    })
  )

  it.effect("A read goes on for the others when the first caller is interrupted", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const read = makeBatchedCall((keys: ReadonlyArray<number>) =>
        Deferred.succeed(began, undefined).pipe(
          Effect.andThen(Deferred.await(end)),
          Effect.as(keys.map((key) => Exit.succeed(key)))
        )
      )
      const first = yield* Effect.forkChild(read(1))
      const second = yield* Effect.forkChild(read(2))
      yield* Deferred.await(began)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(end, undefined)
      assert.strictEqual(yield* Fiber.join(second), 2)
    })
  )
})
