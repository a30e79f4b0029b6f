import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Publication } from "../../../src/domain/publishing/platformError.ts"
import type { Reply } from "../../../src/domain/publishing/reply.ts"
import { makeThread, replyTo } from "../threads.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { connected, outcome, start, statusFault, targetId, world } from "../world.ts"

const bluesky = Effect.gen(function* () {
  const setup = yield* connected("bluesky")
  const thread = makeThread(setup.adapter, setup.account, targetId)
  /** What the records of the posts say of their thread, oldest first. */
  const replies = Effect.map(setup.posts, (posts) => posts.toReversed().map(({ record }) => replyIn(record?.value)))
  return { ...setup, ...thread, replies }
})

const replyIn = (record: unknown): unknown => {
  const { reply } = JSON.parse(JSON.stringify(record))
  return reply
}

const createdAt = (prepared: unknown): string => {
  const { record } = JSON.parse(JSON.stringify(prepared))
  return record.createdAt
}

const reference = ({ cid, platformPostId }: Publication) => ({ uri: platformPostId, cid })

/** A reply whose posts have no content id yet, as where a person has entered the address of one. */
const withoutCids = ({ parent, parentAt, root }: Reply): Reply => ({
  root: { ...root, cid: null },
  parent: { ...parent, cid: null },
  parentAt
})

/** Two parts that are out, and the reply to the second. */
const twoParts = Effect.gen(function* () {
  const setup = yield* bluesky
  const [root = assert.fail(), parent = assert.fail()] = yield* setup.publish(["One", "Two"])
  const reply = yield* replyTo(parent, root)
  const remove = Effect.fnUntraced(function* (text: string) {
    for (const post of yield* setup.posts) if (post.text === text) yield* setup.sandbox.deletePost(post)
  })
  const prepareThird = (to: Reply) => setup.prepare("Three", to, { part: 3 })
  return { ...setup, root, parent, reply, remove, prepareThird }
})

describe("A part of a thread on Bluesky", () => {
  it.effect("names the part before it and the first part, by the content ids that the PDS returned", () =>
    Effect.gen(function* () {
      const { publish, replies } = yield* bluesky
      const [one = assert.fail(), two = assert.fail()] = yield* publish(["One", "Two", "Three"])
      assert.match(one.cid ?? "", /^bafyrei/)
      assert.deepStrictEqual(yield* replies, [
        undefined,
        { root: reference(one), parent: reference(one) },
        { root: reference(one), parent: reference(two) }
      ])
    }).pipe(Effect.provide(world()))
  )

  it.effect("is created later than the part before it, although the clock stands still or is behind", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* bluesky
      const out = yield* publish(["One", "Two", "Three"])
      yield* TestClock.setTime(DateTime.toEpochMillis(start) - 1000)
      const { prepare } = yield* bluesky
      const reply = { ...(yield* replyTo(out[1] ?? assert.fail())), parentAt: start }
      assert.strictEqual(createdAt(yield* prepare("Behind", reply, { part: 2 })), "2030-01-31T12:00:00.251Z")
      assert.strictEqual(createdAt(yield* prepare("Copied", reply)), "2030-01-31T12:00:00.251Z")
      yield* TestClock.setTime(DateTime.toEpochMillis(start) + 10)
      assert.strictEqual(createdAt(yield* prepare("Ahead", reply, { part: 2 })), "2030-01-31T12:00:00.260Z")
      const times = (yield* posts).toReversed().map(({ record }) => createdAt({ record: record?.value }))
      assert.deepStrictEqual(times, [
        "2030-01-31T12:00:00.250Z",
        "2030-01-31T12:00:00.251Z",
        "2030-01-31T12:00:00.252Z"
      ])
    }).pipe(Effect.provide(world()))
  )

  it.effect("has a key that sorts behind that of the part before it", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* bluesky
      yield* publish(["One", "Two", "Three"])
      const keys = (yield* posts).toReversed().map(({ id }) => id)
      assert.deepStrictEqual(keys, ["3n2s4wxk2dw22", "3n2s4wxk2dx22", "3n2s4wxk2dy22"])
    }).pipe(Effect.provide(world()))
  )

  it.effect("is sent without a look at the thread where that is a minute old at most and known", () =>
    Effect.gen(function* () {
      const { injectFault, prepareThird, reply, sandbox } = yield* twoParts
      yield* injectFault(statusFault(500), "timeline")
      yield* TestClock.adjust("1 minute")
      yield* prepareThird(reply)
      assert.lengthOf(yield* sandbox.faults.pending, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "Unavailable")
      assert.lengthOf(yield* sandbox.faults.pending, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["of neither", (reply: Reply) => withoutCids(reply)],
    ["of the part before it alone", (reply: Reply) => ({ ...reply, root: withoutCids(reply).root })],
    ["of the first part alone", (reply: Reply) => ({ ...reply, parent: withoutCids(reply).parent })],
    ["that can't be read", (reply: Reply) => ({ ...reply, root: { ...reply.root, cid: "?" } })]
  ] satisfies Array<[string, (reply: Reply) => Reply]>)(
    "is given the content ids that the PDS has where those are known %s",
    ([, change]) =>
      Effect.gen(function* () {
        const { parent, prepareThird, reply, root } = yield* twoParts
        assert.deepStrictEqual(replyIn(recordOf(yield* prepareThird(change(reply)))), {
          root: reference(root),
          parent: reference(parent)
        })
      }).pipe(Effect.provide(world()))
  )

  it.effect(
    "is sent only after a look at the thread by a process whose clock is behind that of the part before it",
    () =>
      Effect.gen(function* () {
        const { injectFault, prepareThird, reply } = yield* twoParts
        yield* injectFault(statusFault(500), "timeline")
        const behind = withWallClockAhead(-15 * 60_000)(prepareThird(reply))
        assert.strictEqual(yield* outcome(behind), "Unavailable")
        yield* behind
      }).pipe(Effect.provide(world()))
  )

  it.effect("is refused where the part before it was deleted more than a minute ago", () =>
    Effect.gen(function* () {
      const { posts, prepareThird, remove, reply } = yield* twoParts
      yield* remove("Two")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "success")
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(prepareThird(reply))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "The part before this one was deleted")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is refused where a part that it has to name was deleted before its content id was known", () =>
    Effect.gen(function* () {
      const { prepareThird, remove, reply } = yield* twoParts
      yield* remove("One")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "success")
      const error = yield* Effect.flip(prepareThird(withoutCids(reply)))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "The first part of this thread was deleted")
    }).pipe(Effect.provide(world()))
  )

  it.effect("is found under its key although the part before it was deleted since", () =>
    Effect.gen(function* () {
      const { account, adapter, parent, prepare, prepareThird, publish, remove, reply, root } = yield* twoParts
      const third = (yield* publish(["Three"], [root, parent]))[2] ?? assert.fail()
      yield* remove("Two")
      yield* TestClock.adjust("1 day")
      const again = yield* prepareThird(reply)
      assert.deepStrictEqual(yield* adapter.find(again, account, start), Option.some(third))
      assert.deepStrictEqual(yield* sendPost(adapter, again, account), third)
      assert.strictEqual(yield* outcome(prepare("Four", reply, { part: 4 })), "Rejected")
      const unnamed = withoutCids(reply)
      assert.strictEqual(yield* outcome(prepareThird(unnamed)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("is not refused while its account is closed, which shows no record", () =>
    Effect.gen(function* () {
      const { account, injectFault, prepareThird, reply, sandbox } = yield* twoParts
      yield* TestClock.adjust("2 minutes")
      yield* sandbox.changeAccount("bluesky", account.accountId, { closed: "deactivated" })
      yield* injectFault(statusFault(400, { error: "RecordNotFound" }), "timeline")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect("waits while the PDS does not say whether the part before it is there", () =>
    Effect.gen(function* () {
      const { injectFault, prepareThird, reply } = yield* twoParts
      yield* TestClock.adjust("2 minutes")
      yield* injectFault({ kind: "reset", when: "before_commit" }, "timeline")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "Unavailable")
      yield* injectFault(statusFault(502), "timeline")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "Unavailable")
      yield* injectFault(statusFault(200, { body: JSON.stringify({ value: { text: "Two" } }) }), "timeline")
      assert.strictEqual(yield* outcome(prepareThird(withoutCids(reply))), "Unavailable")
      assert.strictEqual(yield* outcome(prepareThird(reply)), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["another account's post", () => "at://did:plc:abcdefghijklmnopqrstuvwx/app.bsky.feed.post/3n2s4wxk2dw22"],
    ["a record that is no post", (did: string) => `at://${did}/app.bsky.feed.like/3n2s4wxk2dw22`],
    ["an address with a space", (did: string) => `at://${did}/app.bsky.feed.post/3n2s 4wxk2dw22`],
    ["an account", (did: string) => `at://${did}`],
    ["nothing", () => ""]
  ] satisfies Array<[string, (did: string) => string]>)("is refused where what it is to reply to is %s", ([, uri]) =>
    Effect.gen(function* () {
      const { account, prepareThird, reply } = yield* twoParts
      const elsewhere = { platformPostId: uri(account.accountId), cid: reply.root.cid }
      assert.strictEqual(yield* outcome(prepareThird({ ...reply, parent: elsewhere })), "Rejected")
      assert.strictEqual(yield* outcome(prepareThird({ ...reply, root: elsewhere })), "Rejected")
    }).pipe(Effect.provide(world()))
  )
})

const recordOf = (prepared: unknown): unknown => {
  const { record } = JSON.parse(JSON.stringify(prepared))
  return record
}

describe("The content id of a post on Bluesky", () => {
  it.effect("is the same from a put, from a look and from a put that finds its key taken", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello", null)
      const { cid } = yield* sendPost(adapter, prepared, account)
      assert.match(cid ?? "", /^bafyrei/)
      assert.strictEqual((yield* adapter.reconcile(prepared, account, start)).cid, cid)
      assert.deepStrictEqual(
        Option.map(yield* adapter.find(prepared, account, start), (found) => found.cid),
        Option.some(cid)
      )
      yield* TestClock.adjust("1 second")
      const otherwise = yield* prepare("Hello", null)
      assert.strictEqual((yield* sendPost(adapter, otherwise, account)).cid, cid)
      yield* TestClock.adjust("2 hours")
      yield* injectFault(statusFault(500))
      assert.strictEqual((yield* adapter.reconcile(prepared, account, start)).cid, cid)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["none", {}],
    ["null", { cid: null }],
    ["what is none", { cid: "?" }]
  ] satisfies Array<[string, object]>)(
    "is not known where the PDS returns %s, and the post is published all the same",
    ([, more]) =>
      Effect.gen(function* () {
        const { account, adapter, injectFault, prepare } = yield* bluesky
        const uri = `at://${account.accountId}/app.bsky.feed.post/3n2s4wxk2dw22`
        yield* injectFault(statusFault(200, { body: JSON.stringify({ uri, ...more }) }))
        const published = yield* sendPost(adapter, yield* prepare("Hello", null), account)
        assert.deepStrictEqual([published.platformPostId, published.cid], [uri, null])
      }).pipe(Effect.provide(world()))
  )
})
