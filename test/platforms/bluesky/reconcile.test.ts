import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Dropped } from "../../../src/domain/publishing/platformError.ts"
import { callTimeout } from "../../../src/platforms/call.ts"
import type { SendFailure } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { connected, outcome, start, statusFault, world } from "../world.ts"

const bluesky = connected("bluesky")

/** The tag of an error, and whether it says that looking again would tell no more. */
const conclusion = <A, R>(looked: Effect.Effect<A, SendFailure | Dropped, R>) =>
  Effect.match(looked, {
    onFailure: (error): unknown => [error._tag, error._tag === "OutcomeUnknown" && error.conclusive === true],
    onSuccess: () => "found"
  })
const toAPerson = ["OutcomeUnknown", true]
const tooLate = TestClock.adjust("61 minutes")

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
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      yield* TestClock.adjust("59 minutes")
      const found = yield* adapter.reconcile(prepared, account, start)
      const again = yield* sendPost(adapter, prepared, account)
      assert.deepStrictEqual(found, again)
      assert.lengthOf(yield* posts, 1)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each(["before_commit", "after_commit"] as const)(
    "A send that is lost %s is looked for on the PDS that the account has moved to meanwhile",
    (when) =>
      Effect.gen(function* () {
        const { account, adapter, injectFault, posts, prepare, renewed, sandbox } = yield* bluesky
        const prepared = yield* prepare("Hello")
        yield* injectFault({ kind: "reset", when })
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
        const moved = sandbox.apiUrls.bluesky.replace("127.0.0.1", "localhost")
        yield* sandbox.changeAccount("bluesky", account.accountId, { pdsUrl: moved })
        yield* adapter.reconcile(prepared, account, start)
        assert.strictEqual((yield* Ref.get(renewed))?.host, moved)
        assert.lengthOf(yield* posts, 1)
        assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
      }).pipe(Effect.provide(world()))
  )

  it.effect("A session that is renewed as another account's is not stored, and nothing is sent", () =>
    Effect.gen(function* () {
      const { account, injectFault, posts, publish, sandbox } = yield* bluesky
      const before = yield* account.credentials.current
      const other = { did: "did:plc:abcdefghijklmnopqrstuvwx", handle: "other.test", accessJwt: "a", refreshJwt: "r" }
      yield* sandbox.endAccess("bluesky")
      yield* injectFault(statusFault(200, { body: JSON.stringify(other) }), "session")
      assert.strictEqual(yield* outcome(publish("Hello")), "Unavailable")
      assert.strictEqual(Redacted.value(yield* account.credentials.current), Redacted.value(before))
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Exactly one post exists even if the first send arrives after the second", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault({ kind: "delay", ms: 30_000 })
      const publishing = yield* Effect.forkChild(outcome(sendPost(adapter, prepared, account)))
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
      yield* sendPost(adapter, prepared, account)
      const other = withText(prepared, "Other")
      assert.strictEqual(yield* outcome(sendPost(adapter, other, account)), "Rejected")
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

describe("BlueskyAdapter.reconcile more than an hour after the send", () => {
  it.effect("A post that never arrived is not put any more, but left to a person at once", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault({ kind: "reset", when: "before_commit" })
      yield* Effect.flip(sendPost(adapter, prepared, account))
      yield* tooLate
      assert.deepStrictEqual(yield* conclusion(adapter.reconcile(prepared, account, start)), toAPerson)
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that arrived is found by its key, and nothing is sent", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* injectFault({ kind: "reset", when: "after_commit" })
      yield* Effect.flip(sendPost(adapter, prepared, account))
      yield* tooLate
      yield* injectFault(statusFault(500))
      const found = yield* adapter.reconcile(prepared, account, start)
      assert.strictEqual(found.platformPostId, `at://${account.accountId}/app.bsky.feed.post/${(yield* posts)[0]?.id}`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that its owner has deleted does not come back", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* sendPost(adapter, prepared, account)
      for (const post of yield* posts) yield* sandbox.deletePost(post)
      yield* tooLate
      assert.deepStrictEqual(yield* conclusion(adapter.reconcile(prepared, account, start)), toAPerson)
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Another text under the post's key is left as it is", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* sendPost(adapter, prepared, account)
      yield* tooLate
      assert.strictEqual(yield* outcome(adapter.reconcile(withText(prepared, "Other"), account, start)), "Rejected")
      assert.deepStrictEqual(
        (yield* posts).map(({ text }) => text),
        ["Hello"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["fails with a 502", "OutcomeUnknown", statusFault(502)],
    ["is refused by something in front of the PDS", "OutcomeUnknown", statusFault(403, { body: "<html>" })],
    ["returns a body that can't be decoded", "OutcomeUnknown", statusFault(200, { body: "{}" })],
    ["is lost", "OutcomeUnknown", { kind: "reset", when: "before_commit" }],
    ["is over the rate limit", "RateLimited", statusFault(429)]
  ] satisfies Array<[string, string, Fault]>)(
    "A look that %s ends as %s, to be repeated, and so does the look at the account",
    ([, expected, fault]) =>
      Effect.gen(function* () {
        const { account, adapter, injectFault, prepare, sandbox } = yield* bluesky
        const prepared = yield* prepare("Hello")
        yield* tooLate
        yield* injectFault(fault, "timeline")
        const look = adapter.reconcile(prepared, account, start)
        assert.deepStrictEqual(yield* conclusion(look), [expected, false])
        yield* injectFault(statusFault(400, { error: "RecordNotFound" }), "timeline")
        yield* injectFault(fault, "timeline")
        assert.deepStrictEqual(yield* conclusion(look), [expected, false])
        assert.lengthOf(yield* sandbox.faults.pending, 0)
      }).pipe(Effect.provide(world()))
  )

  it.effect.each(["deactivated", "suspended", "takendown"] as const)(
    "Nothing is concluded from a record that a %s account does not show",
    (closed) =>
      Effect.gen(function* () {
        const { account, adapter, prepare, sandbox } = yield* bluesky
        const prepared = yield* prepare("Hello")
        yield* sandbox.changeAccount("bluesky", account.accountId, { closed })
        yield* tooLate
        assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "NeedsReauthorization")
        assert.strictEqual(yield* outcome(adapter.find(prepared, account, start)), "NeedsReauthorization")
      }).pipe(Effect.provide(world()))
  )
})

describe("A key that is taken on Bluesky", () => {
  it.effect("A post that a restored database prepares again is recognized by its key and text", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, publish } = yield* bluesky
      const first = yield* publish("Hello")
      yield* TestClock.adjust("2 days")
      const prepared = yield* prepare("Hello")
      assert.deepStrictEqual(yield* adapter.find(prepared, account, start), Option.some(first))
      assert.deepStrictEqual(yield* sendPost(adapter, prepared, account), first)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that was sent before texts were tidied is recognized too", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* sendPost(adapter, withText(prepared, "Hello \n"), account)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A record that the PDS has and does not show leaves the outcome to a person", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* sendPost(adapter, withText(prepared, "Other"), account)
      yield* injectFault(statusFault(400, { error: "RecordNotFound" }), "timeline")
      assert.deepStrictEqual(yield* conclusion(sendPost(adapter, prepared, account)), toAPerson)
    }).pipe(Effect.provide(world()))
  )

  it.effect("The outcome stays unknown while the record can't be read", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* sendPost(adapter, withText(prepared, "Other"), account)
      yield* injectFault(statusFault(502), "timeline")
      assert.deepStrictEqual(yield* conclusion(sendPost(adapter, prepared, account)), ["OutcomeUnknown", false])
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "Rejected")
    }).pipe(Effect.provide(world()))
  )
})
