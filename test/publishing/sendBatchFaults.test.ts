import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deletePosts } from "../support/database/duePosts.ts"
import { Held, taken } from "./heldPlatforms.ts"
import {
  idleLater,
  makeAllDue,
  stack,
  statusOf,
  storedTargets,
  tick,
  unavailable,
  withPublisher
} from "./sendBatchWorld.ts"

layer(stack)("A batch of sends that is interrupted by a fault", (it) => {
  it.effect(
    "A process that is suspended between the intents and the requests sends none of them and takes the intents back",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        yield* makeAllDue("one", "two")
        yield* withPublisher(
          (repo) => ({
            processes: {
              ...repo.processes,
              renew: (id, lease) => (id === null ? repo.processes.renew(id, lease) : Effect.never)
            },
            targets: {
              ...repo.targets,
              beginSends: (sends, lease) =>
                Effect.tap(repo.targets.beginSends(sends, lease), TestClock.adjust("21 seconds"))
            }
          }),
          Effect.andThen(tick(0), idleLater)
        )
        const held = yield* Held
        assert.deepStrictEqual([yield* held.waiting, yield* held.others], [0, []])
        const free = { status: "pending", attempts: 0, sent: false, begun: false }
        assert.deepStrictEqual(yield* storedTargets, [
          { text: "one", ...free },
          { text: "two", ...free }
        ])
      })
  )

  it.effect("A batch whose intents are stored although their response is lost is sent by the next claim, once", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const held = yield* Held
      yield* makeAllDue("one", "two")
      let isLost = false
      yield* withPublisher(
        (repo) => ({
          targets: {
            ...repo.targets,
            beginSends: (sends, lease) =>
              Effect.tap(repo.targets.beginSends(sends, lease), () => {
                if (isLost) return Effect.void
                isLost = true
                return unavailable
              })
          }
        }),
        Effect.gen(function* () {
          yield* tick(0)
          yield* idleLater
          assert.deepStrictEqual([yield* held.waiting, yield* held.others], [0, []])
          for (const { answer } of yield* tick(2)) answer(taken.twitter)
          yield* idleLater
        })
      )
      assert.deepStrictEqual([yield* held.waiting, yield* held.others], [0, []])
    })
  )

  it.effect("A batch whose settlement is lost is settled again, and sends nothing again", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const due = yield* makeAllDue("one", "two")
      let tries = 0
      yield* withPublisher(
        (repo) => ({
          targets: {
            ...repo.targets,
            probeSettling: Effect.fail(unavailable),
            settleAll: (batch, record) =>
              ++tries === 1 ? Effect.fail(unavailable) : repo.targets.settleAll(batch, record)
          }
        }),
        Effect.gen(function* () {
          for (const { answer } of yield* tick(2)) answer(taken.twitter)
          yield* idleLater
        })
      )
      assert.deepStrictEqual(yield* Effect.forEach(due, statusOf), ["published published", "published published"])
      assert.isAbove(tries, 1)
      assert.strictEqual(yield* (yield* Held).waiting, 0)
    })
  )
})
