import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { WorkspaceId } from "../../src/domain/ids.ts"
import { makeWorkspaceTurns, withinWait, type WorkspaceTurns } from "../../src/domain/workspaceTurns.ts"

const workspace = (number: number) => WorkspaceId.make(`01a1fc17-0000-7000-8000-00000000000${number}`)

/** Work yields before it begins. */
const afterYields = Effect.repeat(Effect.yieldNow, { times: 5 })

/** Begins work that lasts until it is ended, and lists what has begun. */
const makeWork = ({ inTurn }: WorkspaceTurns) => {
  const begun: Array<string> = []
  const begin = Effect.fnUntraced(function* (name: string, workspaceId: WorkspaceId) {
    const done = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(name)),
      Deferred.await(done)
    )
    const fiber = yield* Effect.forkChild(inTurn(workspaceId)(work), { startImmediately: true })
    yield* afterYields
    return {
      end: Effect.andThen(Effect.andThen(Deferred.succeed(done, undefined), Fiber.join(fiber)), afterYields),
      fiber
    }
  })
  return { begun, begin }
}

describe("turns of workspaces", () => {
  it.effect("A workspace has at most its own number at a time, and leaves the rest to others", () =>
    Effect.gen(function* () {
      const { begin, begun } = makeWork(makeWorkspaceTurns({ total: 3, perWorkspace: 2 }))
      for (const name of ["a1", "a2", "a3"]) yield* begin(name, workspace(1))
      yield* begin("b1", workspace(2))
      yield* begin("c1", workspace(3))
      assert.deepStrictEqual(begun, ["a1", "a2", "b1"])
    })
  )

  it.effect("The workspace that comes later is next, however much the first one has waiting", () =>
    Effect.gen(function* () {
      const { begin, begun } = makeWork(makeWorkspaceTurns({ total: 1, perWorkspace: 1 }))
      const first = yield* begin("a1", workspace(1))
      for (let number = 2; number <= 50; number++) yield* begin(`a${number}`, workspace(1))
      const other = yield* begin("b1", workspace(2))
      yield* begin("b2", workspace(2))
      yield* first.end
      assert.deepStrictEqual(begun, ["a1", "b1"])
      yield* other.end
      assert.deepStrictEqual(begun, ["a1", "b1", "a2"])
    })
  )

  it.effect("Two workspaces that come again and again do not hold up a third", () =>
    Effect.gen(function* () {
      const { inTurn } = makeWorkspaceTurns({ total: 1, perWorkspace: 1 })
      let turns = 0
      const turn = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => ++turns)
      )
      for (const number of [1, 2]) yield* Effect.forkChild(Effect.forever(inTurn(workspace(number))(turn)))
      yield* Effect.yieldNow
      const before = turns
      const own = yield* inTurn(workspace(3))(turn)
      assert.isAtMost(own - before, 4)
    })
  )

  it.effect("Work that is given up while it waits takes no place, and work that fails returns its own", () =>
    Effect.gen(function* () {
      const turns = makeWorkspaceTurns({ total: 1, perWorkspace: 1 })
      const { begin, begun } = makeWork(turns)
      const first = yield* begin("a1", workspace(1))
      const givenUp = yield* begin("a2", workspace(1))
      yield* begin("a3", workspace(1))
      yield* Fiber.interrupt(givenUp.fiber)
      yield* first.end
      assert.deepStrictEqual(begun, ["a1", "a3"])

      const others = makeWorkspaceTurns({ total: 1, perWorkspace: 1 })
      assert.strictEqual(yield* Effect.flip(others.inTurn(workspace(1))(Effect.fail("failed"))), "failed")
      assert.strictEqual(yield* others.inTurn(workspace(2))(Effect.succeed("done")), "done")
    })
  )

  it.effect("A workspace that comes anew does not go before one that waits already", () =>
    Effect.gen(function* () {
      const { begin, begun } = makeWork(makeWorkspaceTurns({ total: 1, perWorkspace: 1 }))
      const a1 = yield* begin("a1", workspace(1))
      const a2 = yield* begin("a2", workspace(1))
      yield* a1.end
      const b1 = yield* begin("b1", workspace(2))
      const a3 = yield* begin("a3", workspace(1))
      yield* begin("b2", workspace(2))
      yield* a2.end
      yield* b1.end
      yield* begin("c1", workspace(3))
      yield* a3.end
      assert.deepStrictEqual(begun, ["a1", "a2", "b1", "a3", "b2"])
    })
  )

  it.effect("Only the wait for a turn is bounded, not the work", () =>
    Effect.gen(function* () {
      const { inTurn } = makeWorkspaceTurns({ total: 1, perWorkspace: 1 })
      const within = withinWait(inTurn(workspace(1)), "5 seconds", "late")
      const first = yield* Effect.forkChild(within(Effect.as(Effect.sleep("1 minute"), "done")), {
        startImmediately: true
      })
      const second = yield* Effect.forkChild(Effect.flip(within(Effect.void)), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(second), "late")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(first), "done")
    })
  )
})
