import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { TargetId } from "../../src/domain/ids.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { claimed } from "./claimed.ts"

/** Settlements, and the sizes of their batches. */
const makeWorld = (written = Effect.void) => {
  const batches: Array<number> = []
  const repo = fakeRepo({
    targets: {
      settleAll: (batch) =>
        Effect.suspend(() => {
          batches.push(batch.length)
          return Effect.as(written, { lost: [], posts: [] })
        })
    }
  })
  const layer = Settlements.layer.pipe(
    Layer.provide(Layer.merge(repo, Layer.mock(Notifier, { postsSettled: () => Effect.void })))
  )
  return { batches, layer }
}

const settleOne = Effect.fnUntraced(function* (number: number) {
  const { settle, whileUnwritten } = yield* Settlements
  const claim = claimed({ targetId: TargetId.make(`01a1fc17-0000-7000-8000-1${String(number).padStart(11, "0")}`) })
  return yield* Effect.forkChild(
    whileUnwritten(settle(claim, { _tag: "Published", publication: { platformPostId: "1", url: null } }))
  )
})

const settleSome = (from: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => from + index),
    settleOne
  )

describe("Gathered settlements", () => {
  it.effect("Without an outcome that is expected a settlement is written at once", () => {
    const { batches, layer } = makeWorld()
    return Effect.gen(function* () {
      const isDue = (yield* Settlements).expectOutcome()
      isDue()
      yield* Fiber.join(yield* settleOne(1))
      assert.deepStrictEqual(batches, [1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("While an outcome is expected settlements wait for it for 20 ms at most", () => {
    const { batches, layer } = makeWorld()
    return Effect.gen(function* () {
      ;(yield* Settlements).expectOutcome()
      yield* settleOne(1)
      yield* TestClock.adjust("19 millis")
      yield* settleOne(2)
      yield* TestClock.adjust(0)
      assert.isEmpty(batches)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(batches, [2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("Settlements wait no longer once the last outcome has come, and an outcome comes once", () => {
    const { batches, layer } = makeWorld()
    return Effect.gen(function* () {
      const { expectOutcome } = yield* Settlements
      const isDue = expectOutcome()
      const isLastDue = expectOutcome()
      yield* settleOne(1)
      isDue()
      isDue()
      yield* TestClock.adjust(0)
      assert.isEmpty(batches)
      isLastDue()
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(batches, [1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("Once there are 32, settlements wait for no other", () => {
    const { batches, layer } = makeWorld()
    return Effect.gen(function* () {
      ;(yield* Settlements).expectOutcome()
      yield* settleSome(0, 31)
      yield* TestClock.adjust(0)
      assert.isEmpty(batches)
      yield* settleOne(31)
      yield* TestClock.adjust(0)
      assert.isNotEmpty(batches)
    }).pipe(Effect.provide(layer))
  })

  it.effect("While 48 outcomes are unwritten their process has not caught up, and once fewer are it has", () =>
    Effect.gen(function* () {
      const isWritten = yield* Deferred.make<void>()
      const { layer } = makeWorld(Deferred.await(isWritten))
      yield* Effect.gen(function* () {
        const { caughtUp } = yield* Settlements
        yield* settleSome(0, 47)
        yield* TestClock.adjust(0)
        yield* caughtUp
        const [last] = yield* settleSome(47, 1)
        yield* TestClock.adjust(0)
        const waiting = yield* Effect.forkChild(caughtUp)
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(waiting.pollUnsafe())
        // `caughtUp` does not wait for an interrupted settlement.
        if (last !== undefined) yield* Fiber.interrupt(last)
        yield* Fiber.join(waiting)
        yield* Deferred.succeed(isWritten, undefined)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect(
    "An outcome that is written again and again counts as one that is unwritten, also between two tries",
    () => {
      const { layer } = makeWorld()
      return Effect.gen(function* () {
        const { caughtUp, whileUnwritten } = yield* Settlements
        const isWritten = yield* Deferred.make<void>()
        const tries = Effect.andThen(Effect.exit(Effect.die("The database fails")), Deferred.await(isWritten))
        yield* Effect.forEach(Array.from({ length: 48 }), () => Effect.forkChild(whileUnwritten(tries)))
        const waiting = yield* Effect.forkChild(caughtUp)
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(waiting.pollUnsafe())
        yield* Deferred.succeed(isWritten, undefined)
        yield* Fiber.join(waiting)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("Settlements that can't be written don't keep their process from catching up", () => {
    const { layer } = makeWorld(Effect.die("The database fails"))
    return Effect.gen(function* () {
      const { caughtUp } = yield* Settlements
      yield* Effect.forEach(yield* settleSome(0, 60), Fiber.await)
      yield* caughtUp
    }).pipe(Effect.provide(layer))
  })
})
