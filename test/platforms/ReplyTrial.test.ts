import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { ReplyTrial } from "../../src/platforms/ReplyTrial.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { baseUrl, connected, statusFault, world } from "./world.ts"

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => ReplyTrial.layer(sandbox.platforms(baseUrl).twitter, Duration.zero))
).pipe(Layer.provideMerge(world()))

const x = Effect.gen(function* () {
  const setup = yield* connected("twitter")
  const { run } = yield* ReplyTrial
  return { ...setup, trial: run(setup.account), taken: Effect.map(setup.sandbox.accepted, ({ twitter }) => twitter) }
})

describe("A trial of a thread on X", () => {
  it.effect("posts a text and a reply to it, and leaves neither", () =>
    Effect.gen(function* () {
      const { posts, taken, trial } = yield* x
      assert.deepStrictEqual(yield* trial, { reply: "taken", reason: null, repeated: 0, left: [] })
      assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("says that X refuses the reply, and why, and leaves nothing", () =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* x
      yield* injectFault({ kind: "no_replies" }, "reply")
      const { reason, reply } = yield* trial
      assert.strictEqual(reply, "refused")
      assert.include(reason, "X does not let this application reply")
      assert.deepStrictEqual([yield* taken, yield* posts], [1, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("sends the reply again while X does not show the first post", () =>
    Effect.gen(function* () {
      const { injectFault, posts, taken, trial } = yield* x
      yield* injectFault(statusFault(403, { detail: "It is deleted or not visible to you." }), "reply", 12)
      assert.deepStrictEqual(yield* trial, { reply: "taken", reason: null, repeated: 12, left: [] })
      assert.deepStrictEqual([yield* taken, yield* posts], [2, []])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("gives up where X does not show the first post for a minute", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault({ kind: "unseen", ms: 60_000 })
      const { reason, repeated, reply } = yield* trial
      assert.deepStrictEqual([reply, repeated], ["refused", 12])
      assert.include(reason, "does not show the part before this one yet")
      assert.isEmpty(yield* posts)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("says that the outcome is unknown where X does not answer, and which post could not be deleted", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault(statusFault(500, { when: "after_commit" }), "reply")
      yield* injectFault(statusFault(503), "delete")
      const { left, reply } = yield* trial
      const [, first] = yield* posts
      assert.strictEqual(reply, "unknown")
      assert.deepStrictEqual(left, [`${baseUrl}/sandbox/twitter/${first?.username}/status/${first?.id}`])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("deletes the reply before what it replies to, and says which of them is left", () =>
    Effect.gen(function* () {
      const { injectFault, posts, trial } = yield* x
      yield* injectFault(statusFault(503), "delete")
      const { left } = yield* trial
      assert.deepStrictEqual(
        (yield* posts).map(({ id, text }) => [text.includes("2 of 2"), left[0]?.endsWith(`/${id}`)]),
        [[true, true]]
      )
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("fails where the first post does not go out, and sends no reply", () =>
    Effect.gen(function* () {
      const { injectFault, taken, trial } = yield* x
      yield* injectFault(statusFault(402))
      assert.strictEqual((yield* Effect.flip(trial))._tag, "ApplicationRefused")
      assert.strictEqual(yield* taken, 0)
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("deletes what is out where it is interrupted", () =>
    Effect.gen(function* () {
      const { injectFault, posts, sandbox, taken, trial } = yield* x
      yield* injectFault({ kind: "hang" }, "reply")
      const running = yield* Effect.forkChild(trial)
      yield* sandbox.faults.met
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual([yield* taken, yield* posts], [1, []])
    }).pipe(Effect.provide(trialWorld))
  )
})
