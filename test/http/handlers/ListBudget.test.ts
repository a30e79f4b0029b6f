import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Duration, Effect, Exit, Fiber, Logger, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { WorkspaceId } from "../../../src/domain/ids.ts"
import { ListBudget } from "../../../src/http/handlers/ListBudget.ts"
import { orProblem } from "../../../src/http/problems.ts"

const [one, other, third] = [1, 2, 3].map((number) => WorkspaceId.make(`01a1fc17-0000-7000-8000-00000000000${number}`))

/** Memory for three lists of 1.25 MB in total, and for two lists of one workspace. */
const budget = ListBudget.layer({ total: 4e6, perWorkspace: 3e6, maxWait: Duration.seconds(5) })

/** Reserves in a new scope, and returns that scope. */
const reserve = Effect.fnUntraced(function* (workspaceId: WorkspaceId | undefined) {
  const { reserve: take } = yield* ListBudget
  const scope = yield* Scope.make()
  yield* Scope.provide(take(workspaceId ?? WorkspaceId.make("")), scope)
  return scope
})

const end = (scope: Scope.Closeable) => Scope.close(scope, Exit.void)

/** A list yields before it begins. */
const afterYields = Effect.repeat(Effect.yieldNow, { times: 10 })

describe("ListBudget", () => {
  it.effect(
    "A list beyond its workspace's budget waits until another of the workspace ends; other workspaces don't",
    () =>
      Effect.gen(function* () {
        const first = yield* reserve(one)
        yield* reserve(one)
        const waiting = yield* Effect.forkChild(reserve(one))
        yield* reserve(other)
        assert.isUndefined(waiting.pollUnsafe())
        yield* end(first)
        yield* Fiber.join(waiting)
      }).pipe(Effect.provide(budget))
  )

  it.effect("A list that waits for five seconds fails, and takes nothing of the budget", () =>
    Effect.gen(function* () {
      const held = [yield* reserve(one), yield* reserve(one), yield* reserve(other)]
      const waiting = yield* Effect.forEach([one, third], (workspaceId) =>
        Effect.forkChild(Effect.flip(reserve(workspaceId)))
      )
      yield* TestClock.adjust("5 seconds")
      for (const fiber of waiting) assert.strictEqual((yield* Fiber.join(fiber))._tag, "ListsBusy")
      yield* Effect.forEach(held, end, { discard: true })
      for (const workspaceId of [one, one, third]) yield* reserve(workspaceId)
    }).pipe(Effect.provide(budget))
  )

  it.effect("Workspaces have their turns one after the other, however many lists one of them reads", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* ListBudget
      const done: Array<WorkspaceId | undefined> = []
      const turn = (workspaceId: WorkspaceId | undefined) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => done.push(workspaceId))
        ).pipe(inTurn(workspaceId ?? WorkspaceId.make("")))
      yield* Effect.forEach([...Array.from({ length: 20 }, () => one), other], turn, { concurrency: "unbounded" })
      assert.isBelow(done.indexOf(other), 6)
    }).pipe(Effect.provide(budget))
  )

  it.effect("The lists of a workspace wait for each other, and those of another one don't wait for them", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* ListBudget
      const begun: Array<string> = []
      const endless = (name: string, workspaceId: WorkspaceId | undefined) =>
        Effect.andThen(
          Effect.sync(() => begun.push(name)),
          Effect.never
        ).pipe(inTurn(workspaceId ?? WorkspaceId.make("")), Effect.forkChild({ startImmediately: true }))
      const first = yield* endless("one", one)
      const givenUp = yield* endless("one, given up", one)
      yield* endless("one, later", one)
      yield* endless("other", other)
      yield* afterYields
      assert.deepStrictEqual(begun, ["one", "other"])
      yield* Fiber.interrupt(givenUp)
      yield* Fiber.interrupt(first)
      yield* afterYields
      assert.deepStrictEqual(begun, ["one", "other", "one, later"])
    }).pipe(Effect.provide(budget))
  )

  it.effect("The response to a list whose turn does not come, and the log, say that other lists have the turns", () =>
    Effect.gen(function* () {
      const { inPageTurn, inTurn } = yield* ListBudget
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(...Arr.ensure(message)))
      for (const takeTurn of [inTurn, inPageTurn]) {
        const held = yield* Effect.forEach([one, one, one, other, other, third, third], (workspaceId) =>
          Effect.forkChild(takeTurn(workspaceId ?? WorkspaceId.make(""))(Effect.never), { startImmediately: true })
        )
        const late = yield* Effect.forkChild(
          Effect.flip(orProblem(takeTurn(one ?? WorkspaceId.make(""))(Effect.void))).pipe(
            Effect.provide(Logger.layer([logger]))
          ),
          { startImmediately: true }
        )
        yield* TestClock.adjust("5 seconds")
        const problem = yield* Fiber.join(late)
        assert.deepStrictEqual([problem.status, problem.code], [503, "unavailable"])
        assert.match(problem.detail, /Too many lists are being read/)
        yield* Fiber.interruptAll(held)
      }
      const line = "A list was refused, because others had all turns for lists"
      assert.deepStrictEqual(logged, [line, line])
    }).pipe(Effect.provide(budget))
  )

  it.effect("A list that is given up while it waits takes nothing of the budget", () =>
    Effect.gen(function* () {
      const first = yield* reserve(one)
      yield* reserve(one)
      const waiting = yield* Effect.forkChild(reserve(one))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* end(first)
      const free = yield* Effect.timeoutOption(reserve(one), "1 second")
      assert.isTrue(Option.isSome(free))
    }).pipe(Effect.provide(budget))
  )
})
