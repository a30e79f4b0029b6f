import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { RateLimited } from "../../../src/domain/platformError.ts"
import { callTimeout } from "../../../src/platforms/call.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { PlatformClient } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { connected, outcome, start, storedAccount, world } from "../world.ts"

const x = connected("twitter")
const status = (code: number, more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {}): Fault => ({
  kind: "status",
  status: code,
  ...more
})

const tokenError = (error: string) => JSON.stringify({ error })

describe("publishing on X", () => {
  it.effect("posts once, and answers where the post is", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* x
      const publication = yield* publish("Good morning")
      const [post] = yield* posts
      assert.deepStrictEqual(publication, {
        platformPostId: post?.id ?? "",
        url: `https://posts.example/sandbox/twitter/${account.username}/status/${post?.id}`
      })
      assert.strictEqual(post?.text, "Good morning")
    }).pipe(Effect.provide(world()))
  )

  it.effect("says who can reply, and leaves it out for everyone, which X does not know", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      yield* publish("For all", { twitter: { who_can_reply: "everyone" } })
      yield* publish("For some", { twitter: { who_can_reply: "mentionedUsers" } })
      assert.deepStrictEqual(
        (yield* posts).map((post) => post.replySettings),
        ["mentionedUsers", null]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("rejects a text that is too long before anything is sent", () =>
    Effect.gen(function* () {
      const { prepare } = yield* x
      const error = yield* Effect.flip(prepare("a".repeat(281)))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "281")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["an invalid request", "Rejected", status(400, { detail: "One or more parameters was invalid" })],
    ["spent credits", "Rejected", status(402)],
    ["a refusal with its reason", "Rejected", status(403, { detail: "Your account is suspended" })],
    ["a refusal by something before X", "Unavailable", status(403, { body: "<html>blocked</html>" })],
    ["a missing endpoint", "Unavailable", status(404, { body: "" })],
    ["a rate limit", "RateLimited", status(429)],
    ["a redirect", "OutcomeUnknown", status(302, { body: "" })],
    ["a proxy's time-out", "OutcomeUnknown", status(408, { body: "" })],
    ["a server error", "OutcomeUnknown", status(500)],
    ["a bad gateway", "OutcomeUnknown", status(502, { body: "" })],
    ["an unavailable server", "OutcomeUnknown", status(503)],
    ["a server error after the post was taken", "OutcomeUnknown", status(503, { when: "after_commit" })],
    ["a success that is not a creation", "OutcomeUnknown", status(200, { body: "{}" })],
    ["an unreadable success", "OutcomeUnknown", status(201, { body: "<html>", when: "after_commit" })],
    ["an endless success", "OutcomeUnknown", status(201, { body: "x".repeat(3 * 1024 * 1024) })],
    ["a connection lost before the post was taken", "OutcomeUnknown", { kind: "reset", when: "before_commit" }],
    ["a connection lost after the post was taken", "OutcomeUnknown", { kind: "reset", when: "after_commit" }]
  ] satisfies Array<[string, string, Fault]>)("takes %s for %s", ([, expected, fault]) =>
    Effect.gen(function* () {
      const { meet, posts, publish } = yield* x
      yield* meet(fault)
      assert.strictEqual(yield* outcome(publish("Hello")), expected)
      const taken = "when" in fault && fault.when === "after_commit"
      assert.lengthOf(yield* posts, taken ? 1 : 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("tells the operator that credits are needed", () =>
    Effect.gen(function* () {
      const { meet, publish } = yield* x
      yield* meet(status(402))
      assert.include((yield* Effect.flip(publish("Hello"))).message, "no credits left")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["until X's reset time", 600, status(429, { reset_after: 600 })],
    ["as long as Retry-After says", 45, status(429, { retry_after: 45 })],
    ["until the later of both", 700, status(429, { reset_after: 600, retry_after: 700 })],
    ["one window where X does not say", 900, status(429)],
    ["a day at most", 86_400, status(429, { reset_after: 10_000_000 })],
    ["no time for a reset that is past", 0, status(429, { reset_after: -500 })]
  ] satisfies Array<[string, number, Fault]>)("waits %s when it is rate limited", ([, seconds, fault]) =>
    Effect.gen(function* () {
      const { meet, publish } = yield* x
      yield* meet(fault)
      const error = yield* Effect.flip(publish("Hello"))
      assert.instanceOf(error, RateLimited)
      const waits = Duration.toSeconds(DateTime.distance(yield* DateTime.now, error.until))
      // Reset headers tell whole seconds.
      assert.isTrue(waits >= seconds && waits < seconds + 1, `${waits}`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is refused after 100 posts in 15 minutes until the window ends", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => publish(`Post ${index}`))
      assert.strictEqual(yield* outcome(publish("One more")), "RateLimited")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* outcome(publish("One more")), "success")
      assert.lengthOf(yield* posts, 101)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is unavailable where nothing listens, because nothing was sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { account, prepare } = yield* x
      const config = sandbox.platforms("https://posts.example")
      const nowhere = platformClientLayer({ ...config, twitter: { ...config.twitter, apiUrl: "http://127.0.0.1:1" } })
      const prepared = yield* prepare("Hello")
      const error = yield* Effect.flatMap(PlatformClient, ({ twitter }) => twitter.publish(prepared, account)).pipe(
        Effect.provide(nowhere),
        Effect.flip
      )
      assert.strictEqual(error._tag, "Unavailable")
      assert.include(error.message, "ECONNREFUSED")
    }).pipe(Effect.provide(world()))
  )

  it.effect("gives up waiting after 20 seconds, with the outcome unknown", () =>
    Effect.gen(function* () {
      const { meet, publish, sandbox } = yield* x
      yield* meet({ kind: "hang" })
      const publishing = yield* Effect.forkChild(outcome(publish("Hello")))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("rejects a text that the account has posted before", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      yield* publish("Hello")
      yield* TestClock.adjust("1 minute")
      const error = yield* Effect.flip(publish("Hello"))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "same text")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("shows nothing of a token that an error repeats", () =>
    Effect.gen(function* () {
      const { account, meet, publish } = yield* x
      const { accessToken, refreshToken } = JSON.parse(Redacted.value(yield* account.credentials.current))
      yield* meet(status(403, { detail: `Neither ${accessToken} nor ${refreshToken} may post` }))
      assert.strictEqual(
        (yield* Effect.flip(publish("Hello"))).message,
        "X refused this post: Neither … nor … may post"
      )
    }).pipe(Effect.provide(world()))
  )
})

describe("access to an X account", () => {
  it.effect("is renewed when it has run out, and the new pair of tokens is stored", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* x
      const before = Redacted.value(yield* account.credentials.current)
      yield* TestClock.adjust("3 hours")
      yield* publish("Hello")
      assert.notStrictEqual(Redacted.value(yield* account.credentials.current), before)
      yield* TestClock.adjust("3 hours")
      yield* publish("Hello again")
      assert.lengthOf(yield* posts, 2)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is renewed once by many who find it run out, so no refresh token is used twice", () =>
    Effect.gen(function* () {
      const { posts, publish, sandbox } = yield* x
      yield* sandbox.endAccess("twitter")
      const texts = ["one", "two", "three", "four"]
      yield* Effect.forEach(texts, (text) => publish(text), { concurrency: "unbounded" })
      assert.sameMembers(
        (yield* posts).map((post) => post.text),
        texts
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("has to be granted again once X refuses to renew it", () =>
    Effect.gen(function* () {
      const { posts, publish, sandbox } = yield* x
      yield* sandbox.revoke("twitter")
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("has to be granted again once X refuses renewed tokens too", () =>
    Effect.gen(function* () {
      const { meet, publish } = yield* x
      yield* meet(status(401), "publish", 2)
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a wrong client secret", "Unavailable", status(401, { body: tokenError("unauthorized_client") })],
    ["a wrong client id", "Unavailable", status(400, { body: tokenError("invalid_client") })],
    ["a refused grant", "NeedsReauthorization", status(400, { body: tokenError("invalid_grant") })],
    ["an unreadable refusal", "Unavailable", status(400, { body: "<html>" })],
    ["an answer without a token", "Unavailable", status(200, { body: JSON.stringify({ access_token: "" }) })],
    ["a rate limit", "RateLimited", status(429)],
    ["a server error", "Unavailable", status(503)],
    ["a lost connection", "Unavailable", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, string, Fault]>)(
    "whose renewal meets %s: the post is %s, and nothing is sent",
    ([, expected, fault]) =>
      Effect.gen(function* () {
        const { account, meet, posts, publish, sandbox } = yield* x
        const before = yield* account.credentials.current
        yield* sandbox.endAccess("twitter")
        yield* meet(fault, "session")
        assert.strictEqual(yield* outcome(publish("Hello")), expected)
        assert.lengthOf(yield* posts, 0)
        assert.strictEqual(Redacted.value(yield* account.credentials.current), Redacted.value(before))
      }).pipe(Effect.provide(world()))
  )

  it.effect("that is stored unreadably has to be granted again", () =>
    Effect.gen(function* () {
      const { adapter, prepare, sandbox } = yield* x
      const { account } = yield* storedAccount({
        ...(yield* sandbox.connect("twitter", "acme")),
        credentials: Redacted.make("{}")
      })
      assert.strictEqual(yield* outcome(adapter.publish(yield* prepare("Hello"), account)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})

describe("an X post whose outcome is unknown", () => {
  const lost = Effect.fn(function* (fault: Fault, text = "Hello") {
    const setting = yield* x
    const prepared = yield* setting.prepare(text)
    yield* setting.meet(fault)
    assert.strictEqual(yield* outcome(setting.adapter.publish(prepared, setting.account)), "OutcomeUnknown")
    const look = setting.adapter.reconcile(prepared, setting.account, start)
    return { ...setting, prepared, look }
  })

  it.effect("is found on the timeline after it was taken, so there is exactly one", () =>
    Effect.gen(function* () {
      const { look, posts } = yield* lost({ kind: "reset", when: "after_commit" })
      const found = yield* look
      assert.strictEqual(found.platformPostId, (yield* posts)[0]?.id)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("waits where another account is connected by then, and is not sent from that one", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepared } = yield* lost({ kind: "reset", when: "before_commit" })
      const other = { ...account, accountId: "1" }
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, other, start)), "Unavailable")
      assert.strictEqual(yield* outcome(adapter.publish(prepared, other)), "Rejected")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is found although X wraps its links and escapes it", () =>
    Effect.gen(function* () {
      const text = 'Fish & chips <now>\n\n at https://Example.com/menu/?a=1&b=2 or example.org, "déjà" #food'
      const { look } = yield* lost({ kind: "reset", when: "after_commit" }, text)
      assert.strictEqual(yield* outcome(look), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("stays unknown while it is not on the timeline, and is not sent again", () =>
    Effect.gen(function* () {
      const { look, posts, sandbox } = yield* lost({ kind: "reset", when: "before_commit" })
      assert.strictEqual(yield* outcome(look), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(look), "OutcomeUnknown")
      assert.lengthOf(yield* posts, 0)
      assert.strictEqual((yield* sandbox.accepted).twitter, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is found by a later look when the timeline lags", () =>
    Effect.gen(function* () {
      const { look, meet } = yield* lost({ kind: "reset", when: "after_commit" })
      yield* meet({ kind: "lag", ms: 30_000 }, "timeline", 2)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* outcome(look), "OutcomeUnknown")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(look), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("is found when X takes it only after nobody waits any more", () =>
    Effect.gen(function* () {
      const { account, adapter, meet, posts, prepare, sandbox } = yield* x
      const prepared = yield* prepare("Hello")
      yield* meet({ kind: "delay", ms: 30_000 })
      const publishing = yield* Effect.forkChild(outcome(adapter.publish(prepared, account)))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is not mistaken for an older post with the same text", () =>
    Effect.gen(function* () {
      const { account, adapter, publish, prepare } = yield* x
      yield* publish("Hello")
      yield* TestClock.adjust("5 seconds")
      const sentAt = yield* DateTime.now
      const prepared = yield* prepare("Hello")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("that is sent again on a person's order is recognized by X's refusal, and its address is found", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepared } = yield* lost({ kind: "reset", when: "after_commit" })
      yield* TestClock.adjust("1 hour")
      const again = yield* adapter.publish(prepared, account)
      assert.strictEqual(again.platformPostId, (yield* posts)[0]?.id)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["refused access", status(401)],
    ["a refusal", status(403)],
    ["a server error", status(503)],
    ["an unreadable answer", status(200, { body: "<html>" })],
    ["a lost connection", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, Fault]>)("stays unknown when the look meets %s", ([, fault]) =>
    Effect.gen(function* () {
      const { look, meet } = yield* lost({ kind: "reset", when: "after_commit" })
      yield* meet(fault, "timeline", 2)
      assert.strictEqual(yield* outcome(look), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("is looked for again when a rate limit that the look met is over", () =>
    Effect.gen(function* () {
      const { look, meet } = yield* lost({ kind: "reset", when: "after_commit" })
      yield* meet(status(429), "timeline", 1)
      assert.strictEqual(yield* outcome(look), "RateLimited")
    }).pipe(Effect.provide(world()))
  )

  it.effect("waits for the account to be connected again when it can't be asked any more", () =>
    Effect.gen(function* () {
      const { look, sandbox } = yield* lost({ kind: "reset", when: "after_commit" })
      yield* sandbox.revoke("twitter")
      assert.strictEqual(yield* outcome(look), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
