import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { callTimeout } from "../../../src/platforms/call.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { connected, outcome, start, statusFault, targetId, world } from "../world.ts"

const x = connected("twitter")

describe("TwitterAdapter.reconcile", () => {
  /** Publishes with a fault that leaves the outcome unknown. */
  const publishWithUnknownOutcome = Effect.fn(function* (fault: Fault, text = "Hello") {
    const setup = yield* x
    const prepared = yield* setup.prepare(text)
    yield* setup.injectFault(fault)
    assert.strictEqual(yield* outcome(sendPost(setup.adapter, prepared, setup.account)), "OutcomeUnknown")
    const reconcile = setup.adapter.reconcile(prepared, setup.account, start)
    return { ...setup, prepared, reconcile }
  })

  it.effect("A stored post is found on the timeline, so exactly one exists", () =>
    Effect.gen(function* () {
      const { posts, reconcile } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" })
      const found = yield* reconcile
      assert.strictEqual(found.platformPostId, (yield* posts)[0]?.id)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post waits while another account is connected, and is not sent from that one", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepared } = yield* publishWithUnknownOutcome({
        kind: "reset",
        when: "before_commit"
      })
      const other = { ...account, accountId: "1" }
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, other, start)), "Unavailable")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, other)), "Rejected")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post is found although X wraps its links and escapes its characters", () =>
    Effect.gen(function* () {
      const text = 'Fish & chips <now>\n\n at https://Example.com/menu/?a=1&b=2 or example.org, "déjà" #food'
      const { reconcile } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" }, text)
      assert.strictEqual(yield* outcome(reconcile), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("The outcome stays unknown while the post is not on the timeline, and the post is not sent again", () =>
    Effect.gen(function* () {
      const { posts, reconcile, sandbox } = yield* publishWithUnknownOutcome({ kind: "reset", when: "before_commit" })
      assert.strictEqual(yield* outcome(reconcile), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(reconcile), "OutcomeUnknown")
      assert.lengthOf(yield* posts, 0)
      assert.strictEqual((yield* sandbox.accepted).twitter, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A later reconciliation finds the post if the timeline lags", () =>
    Effect.gen(function* () {
      const { injectFault, reconcile } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" })
      yield* injectFault({ kind: "lag", ms: 30_000 }, "timeline", 2)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* outcome(reconcile), "OutcomeUnknown")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(reconcile), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post is found that X stored after its request timed out", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, sandbox } = yield* x
      const prepared = yield* prepare("Hello")
      yield* injectFault({ kind: "delay", ms: 30_000 })
      const publishing = yield* Effect.forkChild(outcome(sendPost(adapter, prepared, account)))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An older post with the same text is not mistaken for the post", () =>
    Effect.gen(function* () {
      const { account, adapter, publish, prepare } = yield* x
      yield* publish("Hello")
      yield* TestClock.adjust("5 seconds")
      const sentAt = yield* DateTime.now
      const prepared = yield* prepare("Hello")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that a process with a fast clock has prepared is found after a later send, too", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts } = yield* x
      const request = { targetId, text: "Hello", settings: {}, notBefore: yield* DateTime.now }
      const prepared = yield* withWallClockAhead(10 * 60_000)(adapter.prepare(request, account))
      yield* injectFault({ kind: "reset", when: "after_commit" })
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      yield* TestClock.adjust("1 hour")
      const found = yield* adapter.find(prepared, account, yield* DateTime.now)
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, (yield* posts)[0]?.id)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a quarter of an hour", 15],
    ["an hour", 60]
  ] as const)("A post is found where every clock of the service is %s fast", ([, minutes]) =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts } = yield* x
      const fast = withWallClockAhead(minutes * 60_000)
      const sentAt = yield* fast(DateTime.now)
      const request = { targetId, text: "Hello", settings: {}, notBefore: sentAt }
      const prepared = yield* fast(adapter.prepare(request, account))
      yield* injectFault({ kind: "overload", ms: 0 })
      assert.strictEqual(yield* outcome(fast(sendPost(adapter, prepared, account))), "Overloaded")
      yield* TestClock.adjust("1 minute")
      const found = yield* fast(adapter.find(prepared, account, sentAt))
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, (yield* posts)[0]?.id)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that is sent again although it is published is refused as a duplicate, and then found", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepared } = yield* publishWithUnknownOutcome({
        kind: "reset",
        when: "after_commit"
      })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "DuplicateRefused")
      const found = yield* adapter.find(prepared, account, yield* DateTime.now)
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, (yield* posts)[0]?.id)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["refused access", statusFault(401)],
    ["a refusal", statusFault(403)],
    ["a server error", statusFault(503)],
    ["a token that something in front of X refuses", { kind: "front", status: 401 }],
    ["a limit of something in front of X", { kind: "front", status: 429 }],
    ["other JSON than X's", statusFault(200, { body: "{}" })],
    ["a body that can't be decoded", statusFault(200, { body: "<html>" })],
    ["a lost connection", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, Fault]>)("A timeline that meets %s was not looked at", ([, fault]) =>
    Effect.gen(function* () {
      const { injectFault, reconcile } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" })
      yield* injectFault(fault, "timeline", 2)
      assert.strictEqual(yield* outcome(reconcile), "Unavailable")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A rate limit of the timeline makes reconciliation wait until it ends", () =>
    Effect.gen(function* () {
      const { injectFault, reconcile } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" })
      yield* injectFault(statusFault(429), "timeline", 1)
      assert.strictEqual(yield* outcome(reconcile), "RateLimited")
    }).pipe(Effect.provide(world()))
  )

  it.effect("Reconciliation needs reauthorization once the account's access was revoked", () =>
    Effect.gen(function* () {
      const { reconcile, sandbox } = yield* publishWithUnknownOutcome({ kind: "reset", when: "after_commit" })
      yield* sandbox.revoke("twitter")
      assert.strictEqual(yield* outcome(reconcile), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
