import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Account } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { connected, outcome, world } from "../world.ts"

const x = connected("twitter")

/** Publishes, and returns how to find the post again. */
const published = Effect.fn(function* (text: string, fault?: Fault) {
  const setup = yield* x
  const sentAt = yield* DateTime.now
  const prepared = yield* setup.prepare(text)
  if (fault !== undefined) yield* setup.injectFault(fault)
  const { platformPostId } = yield* sendPost(setup.adapter, prepared, setup.account)
  const reconcile = (account: Account = setup.account) => setup.adapter.reconcile(prepared, account, sentAt)
  const find = (account: Account = setup.account) => setup.adapter.find(prepared, account, sentAt)
  return { ...setup, id: platformPostId ?? "", find, reconcile, sentAt, prepared }
})

/** What the service knows of its other targets on the account. */
const knowing = (account: Account, others: { readonly published?: string; readonly unresolved?: string }): Account => ({
  ...account,
  others: {
    published: (ids) => Effect.succeed(new Set(ids.filter((id) => id === others.published))),
    unresolved: () => Effect.succeed(others.unresolved === undefined ? [] : [others.unresolved])
  }
})

const forbidden = { title: "Forbidden", type: "https://api.twitter.com/2/problems/not-authorized-for-resource" }

describe("A look at X's timeline", () => {
  it.effect.each([
    ["X's clock is a second behind", "Hello", { kind: "clock", ms: 1300 }],
    ["X drops its zero-width characters", "Hel\u200Blo \u2060world", undefined],
    ["it has a short link of X's own", "Look: https://t.co/AbCdEf1234", undefined]
  ] satisfies Array<[string, string, Fault | undefined]>)("A post is recognized although %s", ([, text, fault]) =>
    Effect.gen(function* () {
      const { id, reconcile } = yield* published(text, fault)
      assert.strictEqual((yield* reconcile()).platformPostId, id)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["X returns null for what it may leave out", { kind: "nulls" }],
    ["X knows the parameter for fields only by its earlier name", { kind: "fields", name: "tweet.fields" }],
    ["X knows the parameter for fields only by its present name", { kind: "fields", name: "post.fields" }]
  ] satisfies Array<[string, Fault]>)("A post with a link is recognized although %s", ([, fault]) =>
    Effect.gen(function* () {
      const { id, injectFault, reconcile } = yield* published("See https://example.com/a")
      yield* injectFault(fault, "timeline", 2)
      assert.strictEqual((yield* reconcile()).platformPostId, id)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Of the posts between two times those are left that no target owns or has the text of", () =>
    Effect.gen(function* () {
      const { account, adapter, publish, sentAt } = yield* published("Early")
      yield* TestClock.adjust("1 minute")
      const since = yield* DateTime.now
      const { platformPostId: known } = yield* publish("Known")
      yield* publish("See  https://example.com/a")
      const { platformPostId: unknown } = yield* publish("Unknown")
      const until = DateTime.add(yield* DateTime.now, { seconds: 1 })
      yield* TestClock.adjust("20 minutes")
      yield* publish("Late")
      const others = knowing(account, { published: known ?? "", unresolved: "See https://example.com/a" })
      const read = adapter.unmatched ?? assert.fail("X's timeline can be read")
      const { complete, posts } = yield* read(others, since, until)
      assert.isTrue(complete)
      assert.deepStrictEqual(
        posts.map(({ id, text }) => [id, text]),
        [[unknown, "Unknown"]]
      )
      assert.lengthOf((yield* read(account, sentAt, until)).posts, 4)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post is recognized behind a hundred and fifty later ones", () =>
    Effect.gen(function* () {
      const { id, publish, reconcile } = yield* published("Hello")
      yield* Effect.forEach(Array.from({ length: 150 }).keys(), (index) => publish(`Post ${index}`))
      assert.strictEqual((yield* reconcile()).platformPostId, id)
    }).pipe(Effect.provide(world({ limits: false })))
  )

  it.effect("That a post is not among the newest three hundred does not mean that it is not there", () =>
    Effect.gen(function* () {
      const { find, publish } = yield* published("Hello")
      yield* Effect.forEach(Array.from({ length: 301 }).keys(), (index) => publish(`Post ${index}`))
      assert.strictEqual(yield* outcome(find()), "OutcomeUnknown")
    }).pipe(Effect.provide(world({ limits: false })))
  )

  it.effect("A post that may be older than what is known of deleted posts is left to a person", () =>
    Effect.gen(function* () {
      const { find } = yield* published("Hello")
      yield* TestClock.adjust("89 days")
      assert.strictEqual(yield* outcome(find()), "success")
      yield* TestClock.adjust("2 days")
      assert.strictEqual(yield* outcome(find()), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A look that has an end does not read what was posted long after it", () =>
    Effect.gen(function* () {
      const { account, adapter, id, prepared, publish, sentAt } = yield* published("Hello")
      const absent = yield* connected("twitter").pipe(Effect.flatMap(({ prepare }) => prepare("Absent")))
      yield* TestClock.adjust("1 hour")
      yield* Effect.forEach(Array.from({ length: 301 }).keys(), (index) => publish(`Post ${index}`))
      const found = yield* adapter.find(prepared, account, sentAt, sentAt)
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, id)
      assert.isTrue(Option.isNone(yield* adapter.find(absent, account, sentAt, sentAt)))
    }).pipe(Effect.provide(world({ limits: false })))
  )

  it.effect("A look whose end has not come reads what is there", () =>
    Effect.gen(function* () {
      const { account, adapter, id, prepared, sentAt } = yield* published("Hello")
      const found = yield* adapter.find(prepared, account, sentAt, sentAt)
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, id)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["fast", 1],
    ["slow", -1]
  ] as const)(
    "Where the clocks of the service are an hour %s, a post is found that was sent before the end",
    ([, sign]) =>
      Effect.gen(function* () {
        const skewed = withWallClockAhead(sign * 3_600_000)
        const since = yield* skewed(DateTime.now)
        const { account, adapter, id, prepared } = yield* published("Hello")
        yield* TestClock.adjust("20 minutes")
        const found = yield* skewed(adapter.find(prepared, account, since, since))
        assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, id)
      }).pipe(Effect.provide(world()))
  )

  it.effect("Where the clocks of the service are an hour fast, a post that no target owns is among those left", () =>
    Effect.gen(function* () {
      const fast = withWallClockAhead(3_600_000)
      const since = yield* fast(DateTime.now)
      const { account, adapter, id } = yield* published("Unknown")
      yield* TestClock.adjust("20 minutes")
      const read = adapter.unmatched ?? assert.fail("X's timeline can be read")
      const { posts } = yield* fast(read(account, since, DateTime.add(since, { minutes: 1 })))
      assert.deepStrictEqual(
        posts.map((post) => post.id),
        [id]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("A person's post of shortly before is not taken because X takes long to show the second page", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, publish } = yield* published("Hello")
      yield* TestClock.adjust("12 seconds")
      const prepared = yield* prepare("Hello")
      const since = yield* DateTime.now
      yield* Effect.forEach(Array.from({ length: 150 }).keys(), (index) => publish(`Post ${index}`))
      let requests = 0
      const current = Effect.suspend(() =>
        Effect.andThen(++requests === 2 ? TestClock.adjust("12 seconds") : Effect.void, account.credentials.current)
      )
      const slow = { ...account, credentials: { ...account.credentials, current } }
      assert.isTrue(Option.isNone(yield* adapter.find(prepared, slow, since)))
      assert.strictEqual(requests, 2)
    }).pipe(Effect.provide(world({ limits: false })))
  )

  it.effect("A post that belongs to another target is never taken", () =>
    Effect.gen(function* () {
      const { account, find, id, reconcile } = yield* published("Hello")
      const others = knowing(account, { published: id })
      assert.isTrue(Option.isNone(yield* find(others)))
      assert.strictEqual(yield* outcome(reconcile(others)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that another target with the same text may have sent is not taken", () =>
    Effect.gen(function* () {
      const { account, find, reconcile } = yield* published("Hello world")
      const others = knowing(account, { unresolved: "Hello\u200B  world" })
      assert.strictEqual(yield* outcome(find(others)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(reconcile(others)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(reconcile(knowing(account, { unresolved: "Hello" }))), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("Each of two targets with the same text is found once there is a post for each", () =>
    Effect.gen(function* () {
      const { account, id, publish, reconcile } = yield* published("Hello")
      yield* TestClock.adjust("13 hours")
      yield* publish("Hello")
      assert.strictEqual((yield* reconcile(knowing(account, { unresolved: "Hello" }))).platformPostId, id)
      const second = yield* reconcile(knowing(account, { published: id }))
      assert.notStrictEqual(second.platformPostId, id)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post is found from when it was prepared, also after its send was repeated", () =>
    Effect.gen(function* () {
      const { account, adapter, id, prepared } = yield* published("Hello")
      yield* TestClock.adjust("1 hour")
      const found = yield* adapter.find(prepared, account, yield* DateTime.now)
      assert.strictEqual(Option.getOrUndefined(found)?.platformPostId, id)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["refuses", { kind: "status", status: 403, detail: "User has been suspended: [1]." }],
    [
      "does not show",
      {
        kind: "status",
        status: 200,
        body: JSON.stringify({ errors: [{ ...forbidden, detail: "User has been suspended: [1]." }] })
      }
    ]
  ] satisfies Array<[string, Fault]>)("A suspended account, which X %s, needs its owner to act", ([, fault]) =>
    Effect.gen(function* () {
      const { injectFault, reconcile } = yield* published("Hello")
      yield* injectFault(fault, "timeline")
      assert.strictEqual(yield* outcome(reconcile()), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect("An answer with errors in place of the posts does not mean that there are none", () =>
    Effect.gen(function* () {
      const { find, injectFault } = yield* published("Hello")
      const body = JSON.stringify({ errors: [{ ...forbidden, detail: "Could not find the user" }] })
      yield* injectFault({ kind: "status", status: 200, body }, "timeline")
      assert.strictEqual(yield* outcome(find()), "Unavailable")
    }).pipe(Effect.provide(world()))
  )
})
