import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Queue, Result } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { CurrentRequester } from "../../src/domain/requester.ts"
import type { BatchBounds } from "../../src/repo/batchBounds.ts"
import { makeBatch } from "../../src/repo/makeBatch.ts"

const inTurn: BatchBounds = { most: 128, concurrency: 1 }
const sideBySide: BatchBounds = { most: 32, concurrency: "unbounded" }

/** A group commit whose batches end when the test calls `end`. */
const makeHeld = Effect.gen(function* () {
  const batches = yield* Queue.unbounded<{
    readonly items: ReadonlyArray<number>
    readonly end: (exit: Exit.Exit<void, string>) => Effect.Effect<unknown>
  }>()
  const { callWithGrace, call: write } = makeBatch(
    inTurn,
    Effect.fnUntraced(function* (items: ReadonlyArray<number>) {
      const ended = yield* Deferred.make<void, string>()
      yield* Queue.offer(batches, { items, end: (exit) => Deferred.done(ended, exit) })
      yield* Deferred.await(ended)
      return items.map((item) => (item < 0 ? Exit.fail(`${item} is negative`) : Exit.succeed(item * 2)))
    })
  )
  return { write, callWithGrace, next: Queue.take(batches), written: Queue.size(batches) }
})

const writeAll = (write: (item: number) => Effect.Effect<number, string>, items: ReadonlyArray<number>) =>
  Effect.forkChild(Effect.forEach(items, (item) => Effect.result(write(item)), { concurrency: "unbounded" }))

class Caller extends Context.Reference<string>("test/Caller", { defaultValue: () => "nobody" }) {}

/**
 * Runs a write in an uninterruptible region and records its exit, because an interrupted fiber's own exit is an
 * interruption.
 */
const keep = (results: Array<Exit.Exit<number, string>>, write: Effect.Effect<number, string>) =>
  Effect.uninterruptible(Effect.map(Effect.exit(write), (exit) => void results.push(exit)))

describe("Batches in turn", () => {
  it.effect("A caller that throws on its result gets a defect, and the others their results", () =>
    Effect.gen(function* () {
      const { ask } = makeBatch(inTurn, (items: ReadonlyArray<number>) => Effect.succeed(items.map(Exit.succeed)))
      const resumed = yield* Queue.unbounded<readonly [number, string]>()
      for (const item of [1, 2, 3]) {
        ask(item, Context.empty(), (exit) => {
          if (item === 2 && Exit.isSuccess(exit)) throw new Error("The row can't be shown")
          Queue.offerUnsafe(resumed, [item, exit._tag])
        })
      }
      assert.deepStrictEqual(yield* Queue.takeN(resumed, 3), [
        [1, "Success"],
        [2, "Failure"],
        [3, "Success"]
      ])
    })
  )

  it.effect("The owners of waiting items take turns, however many one of them has", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<string>> = []
      const write = (items: ReadonlyArray<string>) =>
        Effect.as(
          Effect.sync(() => batches.push(items)),
          items.map(Exit.succeed)
        )
      const { call } = makeBatch({ most: 3, concurrency: 1 }, write, { ownerOf: (item) => item.charAt(0) })
      const items = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"]
      yield* Effect.forEach(items, call, { concurrency: "unbounded" })
      assert.deepStrictEqual(batches, [
        ["a1", "b1", "c1"],
        ["a2", "b2", "a3"],
        ["a4", "a5"]
      ])
    })
  )

  it.effect("A batch runs as the service's own work, whoever asked for it", () =>
    Effect.gen(function* () {
      const { call } = makeBatch(sideBySide, (items: ReadonlyArray<number>) =>
        Effect.map(CurrentRequester, (requester) => items.map(() => Exit.succeed(requester)))
      )
      assert.isUndefined(yield* Effect.provideService(call(1), CurrentRequester, "unknown"))
    })
  )

  it.effect("What is asked for at once is one batch, and what is asked for while it is written is the next one", () =>
    Effect.gen(function* () {
      const { next, write, written } = yield* makeHeld
      const first = yield* writeAll(write, [1, 2, -3])
      const batch = yield* next
      assert.deepStrictEqual(batch.items, [1, 2, -3])
      const second = yield* writeAll(write, [4])
      yield* Effect.yieldNow
      const third = yield* writeAll(write, [5])
      yield* Effect.yieldNow
      assert.strictEqual(yield* written, 0)
      yield* batch.end(Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(first), [
        Result.succeed(2),
        Result.succeed(4),
        Result.fail("-3 is negative")
      ])
      const later = yield* next
      assert.deepStrictEqual(later.items, [4, 5])
      yield* later.end(Exit.void)
      assert.deepStrictEqual(
        [yield* Fiber.join(second), yield* Fiber.join(third)],
        [[Result.succeed(8)], [Result.succeed(10)]]
      )
    })
  )

  it.effect("More than 128 items are several batches, which are written one after the other", () =>
    Effect.gen(function* () {
      const { next, write, written } = yield* makeHeld
      const all = yield* writeAll(
        write,
        Array.from({ length: 300 }, (_, index) => index)
      )
      const sizes: Array<number> = []
      for (let batch = 0; batch < 3; batch++) {
        const { end, items } = yield* next
        assert.strictEqual(yield* written, 0)
        sizes.push(items.length)
        yield* end(Exit.void)
      }
      assert.deepStrictEqual(sizes, [128, 128, 44])
      assert.deepStrictEqual(
        yield* Fiber.join(all),
        Array.from({ length: 300 }, (_, index) => Result.succeed(index * 2))
      )
    })
  )

  it.effect("What a batch fails with reaches each of its callers, and the next batch is written", () =>
    Effect.gen(function* () {
      const { next, write } = yield* makeHeld
      const failing = yield* writeAll(write, [1, 2])
      const { end } = yield* next
      yield* end(Exit.fail("The database is away"))
      assert.deepStrictEqual(yield* Fiber.join(failing), [
        Result.fail("The database is away"),
        Result.fail("The database is away")
      ])
      const again = yield* writeAll(write, [1])
      yield* (yield* next).end(Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(again), [Result.succeed(2)])
    })
  )

  it.effect(
    "An interrupted caller leaves a batch that is written to the others, and is left out of one that waits",
    () =>
      Effect.gen(function* () {
        const { next, write } = yield* makeHeld
        const writing = yield* Effect.forkChild(write(1))
        const beside = yield* Effect.forkChild(write(2))
        const batch = yield* next
        assert.deepStrictEqual(batch.items, [1, 2])
        const waiting = yield* Effect.forkChild(write(3))
        const behind = yield* Effect.forkChild(write(4))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(writing)
        yield* Fiber.interrupt(waiting)
        yield* batch.end(Exit.void)
        assert.strictEqual(yield* Fiber.join(beside), 4)
        const later = yield* next
        assert.deepStrictEqual(later.items, [4])
        yield* later.end(Exit.void)
        assert.strictEqual(yield* Fiber.join(behind), 8)
      })
  )

  it.effect(
    "A caller that gives a grace still learns after an interruption what became of its item, until that is over",
    () =>
      Effect.gen(function* () {
        const { next, callWithGrace } = yield* makeHeld
        const results: Array<Exit.Exit<number, string>> = []
        const write = (item: number) => Effect.forkChild(keep(results, callWithGrace("2 seconds")(item)))
        const known = yield* write(1)
        const first = yield* next
        const late = yield* write(2)
        yield* Effect.yieldNow
        known.interruptUnsafe()
        late.interruptUnsafe()
        yield* TestClock.adjust("1 second")
        yield* first.end(Exit.void)
        yield* Fiber.await(known)
        assert.deepStrictEqual(results, [Exit.succeed(2)])
        const second = yield* next
        assert.deepStrictEqual(second.items, [2])
        yield* TestClock.adjust("1 second")
        yield* Fiber.await(late)
        assert.deepStrictEqual(results.map(Exit.hasInterrupts), [false, true])
      })
  )

  it.effect("A caller whose grace is over before its batch begins is left out of it", () =>
    Effect.gen(function* () {
      const { next, write, callWithGrace } = yield* makeHeld
      const writing = yield* Effect.forkChild(write(1))
      const batch = yield* next
      const results: Array<Exit.Exit<number, string>> = []
      const leaving = yield* Effect.forkChild(keep(results, callWithGrace("2 seconds")(2)))
      const behind = yield* Effect.forkChild(write(3))
      yield* Effect.yieldNow
      leaving.interruptUnsafe()
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.await(leaving)
      assert.deepStrictEqual(results.map(Exit.hasInterrupts), [true])
      yield* batch.end(Exit.void)
      yield* Fiber.join(writing)
      const later = yield* next
      assert.deepStrictEqual(later.items, [3])
      yield* later.end(Exit.void)
      assert.strictEqual(yield* Fiber.join(behind), 6)
    })
  )

  it.effect("What can't be written fails alone, and the others of its batch are written", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<number>> = []
      const { call: write } = makeBatch(inTurn, (items: ReadonlyArray<number>) =>
        Effect.suspend(() => {
          batches.push(items)
          return items.includes(3)
            ? Effect.die("3 can't be written")
            : Effect.succeed(items.map((item) => Exit.succeed(item)))
        })
      )
      const written = yield* Effect.forEach([1, 2, 3, 4], (item) => Effect.exit(write(item)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(written, [
        Exit.succeed(1),
        Exit.succeed(2),
        Exit.die("3 can't be written"),
        Exit.succeed(4)
      ])
      assert.deepStrictEqual(batches, [[1, 2, 3, 4], [1], [2], [3], [4]])
    })
  )

  it.effect("What is written alone does not keep the next batch waiting", () =>
    Effect.gen(function* () {
      const isWritten = yield* Deferred.make<void>()
      const { call: write } = makeBatch(inTurn, (items: ReadonlyArray<number>) => {
        if (!items.includes(3)) return Effect.succeed(items.map((item) => Exit.succeed(item)))
        return items.length > 1
          ? Effect.die("3 can't be written with others")
          : Effect.as(Deferred.await(isWritten), [Exit.succeed(3)])
      })
      const first = yield* Effect.forkChild(Effect.forEach([3, 4], write, { concurrency: "unbounded" }))
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* write(5), 5)
      assert.isUndefined(first.pollUnsafe())
      yield* Deferred.succeed(isWritten, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), [3, 4])
    })
  )

  it.effect("What throws before it is written fails alone, and nobody waits for it forever", () =>
    Effect.gen(function* () {
      const { call } = makeBatch(inTurn, (items: ReadonlyArray<number>) => {
        if (items.includes(0)) throw new Error("It can't be encoded")
        return Effect.succeed(items.map((item) => Exit.succeed(item * 2)))
      })
      const results = yield* Effect.forEach([1, 0, 2], (item) => Effect.exit(call(item)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.effect("A batch has the context of its first item's caller, also where another one began it and left", () =>
    Effect.gen(function* () {
      const gathered = yield* Deferred.make<void>()
      const { call } = makeBatch(
        inTurn,
        (items: ReadonlyArray<number>) => Effect.map(Caller, (caller) => items.map(() => Exit.succeed(caller))),
        { mayBegin: Deferred.await(gathered) }
      )
      const writeAs = (caller: string, item: number) =>
        Effect.forkChild(Effect.provideService(call(item), Caller, caller), { startImmediately: true })
      const leaving = yield* writeAs("who left", 1)
      yield* Fiber.interrupt(leaving)
      const staying = yield* writeAs("who stayed", 2)
      yield* Deferred.succeed(gathered, undefined)
      assert.strictEqual(yield* Fiber.join(staying), "who stayed")
    })
  )

  it.effect("A batch ends even if all its callers are interrupted", () =>
    Effect.gen(function* () {
      const { next, write } = yield* makeHeld
      const leaving = yield* Effect.forkChild(write(1))
      const batch = yield* next
      const behind = yield* Effect.forkChild(write(2))
      yield* Fiber.interrupt(leaving)
      yield* batch.end(Exit.void)
      const later = yield* next
      assert.deepStrictEqual(later.items, [2])
      yield* later.end(Exit.void)
      assert.strictEqual(yield* Fiber.join(behind), 4)
    })
  )

  it.effect("A batch that a lock ends is written one by one, and what is locked alone fails", () =>
    Effect.gen(function* () {
      const reason = new SqlError.LockTimeoutError({ cause: "The row is locked" })
      const locked = new DatabaseUnavailable({ operation: "writing", cause: new SqlError.SqlError({ reason }) })
      const { call } = makeBatch(inTurn, (items: ReadonlyArray<number>) =>
        items.includes(3) ? Effect.fail(locked) : Effect.succeed(items.map((item) => Exit.succeed(item)))
      )
      const written = yield* Effect.forEach([1, 3, 4], (item) => Effect.exit(call(item)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(written, [Exit.succeed(1), Exit.fail(locked), Exit.succeed(4)])
    })
  )
})

const makeRecorded = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const { call: read } = makeBatch(sideBySide, (keys: ReadonlyArray<number>) =>
    Effect.suspend(() => {
      batches.push(keys)
      return keys.includes(0)
        ? Effect.fail("no answer")
        : Effect.succeed(keys.map((key) => (key < 0 ? Exit.fail(`${key} is unknown`) : Exit.succeed(key * 2))))
    })
  )
  return { batches, readAll: Effect.forEach((key: number) => Effect.result(read(key)), { concurrency: "unbounded" }) }
}

describe("Batches side by side", () => {
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
      const { call: read } = makeBatch(sideBySide, (keys: ReadonlyArray<number>) =>
        keys.includes(0) ? Effect.die("a wrong row") : Effect.succeed(keys.map((key) => Exit.succeed(key * 2)))
      )
      const results = yield* Effect.forEach([1, 0, 2], (key) => Effect.exit(read(key)), { concurrency: "unbounded" })
      assert.deepStrictEqual(results, [Exit.succeed(2), Exit.die("a wrong row"), Exit.succeed(4)])
    })
  )

  it.effect("An item that throws before its statement is sent fails alone", () =>
    Effect.gen(function* () {
      const { call } = makeBatch(sideBySide, (items: ReadonlyArray<number>) => {
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
      const { call: read } = makeBatch(sideBySide, (keys: ReadonlyArray<number>) =>
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

  it.effect("Statements run side by side, and a call does not wait for an earlier one", () =>
    Effect.gen(function* () {
      const [began, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { call } = makeBatch(sideBySide, (items: ReadonlyArray<number>) =>
        Effect.as(
          items.includes(0) ? Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(end)) : Effect.void,
          items.map((item) => Exit.succeed(item))
        )
      )
      const first = yield* Effect.forkChild(call(0))
      yield* Deferred.await(began)
      assert.strictEqual(yield* call(1), 1)
      assert.isUndefined(first.pollUnsafe())
      yield* Deferred.succeed(end, undefined)
      assert.strictEqual(yield* Fiber.join(first), 0)
    })
  )

  it.effect("A caller that is interrupted before its statement is sent is left out of it", () =>
    Effect.gen(function* () {
      const { batches, readAll } = makeRecorded()
      const leaving = yield* Effect.forkChild(readAll([1]), { startImmediately: true })
      const staying = yield* Effect.forkChild(readAll([2]), { startImmediately: true })
      yield* Fiber.interrupt(leaving)
      yield* Fiber.join(staying)
      assert.deepStrictEqual(batches, [[2]])
    })
  )

  it.effect("A statement ends even if all its callers are interrupted", () =>
    Effect.gen(function* () {
      const [began, end, ended] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const { call } = makeBatch(sideBySide, (items: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(began, undefined)
          yield* Deferred.await(end)
          yield* Deferred.succeed(ended, undefined)
          return items.map((item) => Exit.succeed(item))
        })
      )
      const only = yield* Effect.forkChild(call(1))
      yield* Deferred.await(began)
      yield* Fiber.interrupt(only)
      yield* Deferred.succeed(end, undefined)
      yield* Deferred.await(ended)
    })
  )
})
