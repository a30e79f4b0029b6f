import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { callTimeout } from "../../../src/platforms/call.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { connected, outcome, start, statusFault, world } from "../world.ts"

const bluesky = connected("bluesky")

/** A prepared post with another text in its record. */
const withText = (prepared: unknown, text: string) => {
  const copy = JSON.parse(JSON.stringify(prepared))
  return { ...copy, record: { ...copy.record, text } }
}

describe("BlueskyAdapter.reconcile", () => {
  it.effect.each([
    ["lost before the post was stored", { kind: "reset", when: "before_commit" }],
    ["lost after the post was stored", { kind: "reset", when: "after_commit" }],
    ["answered with a 500 after the post was stored", statusFault(500, { when: "after_commit" })]
  ] satisfies Array<[string, Fault]>)("A send that is %s is put again, and exactly one post exists", ([, fault]) =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault(fault)
      assert.strictEqual(yield* outcome(adapter.publish(prepared, account)), "OutcomeUnknown")
      yield* TestClock.adjust("1 hour")
      const found = yield* adapter.reconcile(prepared, account, start)
      const again = yield* adapter.publish(prepared, account)
      assert.deepStrictEqual(found, again)
      assert.lengthOf(yield* posts, 1)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Exactly one post exists even if the first send arrives after the second", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault({ kind: "delay", ms: 30_000 })
      const publishing = yield* Effect.forkChild(outcome(adapter.publish(prepared, account)))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
      yield* adapter.reconcile(prepared, account, start)
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(yield* posts, 1)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A record that has the post's key already is never overwritten", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* adapter.publish(prepared, account)
      const other = withText(prepared, "Other")
      assert.strictEqual(yield* outcome(adapter.publish(other, account)), "Rejected")
      assert.strictEqual(yield* outcome(adapter.reconcile(other, account, start)), "Rejected")
      assert.deepStrictEqual(
        (yield* posts).map((post) => post.text),
        ["Hello"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("The outcome stays unknown if the PDS can't be reached for the second send", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault(statusFault(403, { body: "<html>" }))
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )
})
