import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { RateLimited } from "../../../src/domain/platformError.ts"
import { callTimeout } from "../../../src/platforms/call.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { PlatformClient } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { connected, outcome, start, storedAccount, targetId, world } from "../world.ts"

const bluesky = connected("bluesky")
const status = (code: number, more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {}): Fault => ({
  kind: "status",
  status: code,
  ...more
})

/** A prepared post with something changed in its record. */
const changed = (prepared: unknown, text: string) => {
  const copy = JSON.parse(JSON.stringify(prepared))
  return { ...copy, record: { ...copy.record, text } }
}

describe("publishing on Bluesky", () => {
  it.effect("puts one record, and answers where the post is", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* bluesky
      const publication = yield* publish("Good morning")
      const [post] = yield* posts
      assert.deepStrictEqual(publication, {
        platformPostId: `at://${account.accountId}/app.bsky.feed.post/${post?.id}`,
        url: `https://posts.example/sandbox/bluesky/profile/${account.accountId}/post/${post?.id}`
      })
      assert.deepStrictEqual(post?.record?.value, {
        $type: "app.bsky.feed.post",
        text: "Good morning",
        createdAt: DateTime.formatIso(start)
      })
    }).pipe(Effect.provide(world()))
  )

  it.effect("links addresses that are shown shortened, hashtags, and the handles that resolve", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* bluesky
      yield* publish("Hé @acme.sandbox.test and @nobody.test: https://example.com/a/rather/long/path?x=1 #news")
      const [post] = yield* posts
      assert.deepInclude(post?.record?.value, {
        text: "Hé @acme.sandbox.test and @nobody.test: example.com/a/rather/lon... #news",
        facets: [
          {
            $type: "app.bsky.richtext.facet",
            index: { byteStart: 4, byteEnd: 22 },
            features: [{ $type: "app.bsky.richtext.facet#mention", did: account.accountId }]
          },
          {
            $type: "app.bsky.richtext.facet",
            index: { byteStart: 41, byteEnd: 68 },
            features: [{ $type: "app.bsky.richtext.facet#link", uri: "https://example.com/a/rather/long/path?x=1" }]
          },
          {
            $type: "app.bsky.richtext.facet",
            index: { byteStart: 69, byteEnd: 74 },
            features: [{ $type: "app.bsky.richtext.facet#tag", tag: "news" }]
          }
        ]
      })
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["does not answer", { kind: "hang" }],
    ["answers with an error", status(502)],
    ["answers what can't be read", status(200, { body: "{}" })]
  ] satisfies Array<[string, Fault]>)("leaves a mention plain where looking it up %s", ([, fault]) =>
    Effect.gen(function* () {
      const { meet, posts, publish, sandbox } = yield* bluesky
      yield* meet(fault, "identity")
      const publishing = yield* Effect.forkChild(publish("Hello @acme.sandbox.test"))
      yield* sandbox.faults.met
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(publishing)
      assert.notProperty((yield* posts)[0]?.record?.value, "facets")
    }).pipe(Effect.provide(world()))
  )

  it.effect("rejects a text that is too long before anything is sent", () =>
    Effect.gen(function* () {
      const { prepare } = yield* bluesky
      const error = yield* Effect.flip(prepare("a".repeat(301)))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "301")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["an invalid request", "Rejected", status(400, { detail: "Invalid record" })],
    ["a body that is too large", "Rejected", status(413, { body: "" })],
    ["a closed account", "Rejected", status(401, { error: "AccountTakedown" })],
    ["a deactivated account", "Rejected", status(401, { error: "AccountDeactivated" })],
    ["a session that is not known", "NeedsReauthorization", status(401, { error: "AuthMissing" })],
    ["an account that is not there", "NeedsReauthorization", status(403, { error: "AccountNotFound" })],
    ["a refusal by something before the PDS", "Unavailable", status(403, { body: "<html>" })],
    ["a server that is no PDS", "Unavailable", status(404, { body: "" })],
    ["a rate limit", "RateLimited", status(429)],
    ["a redirect", "OutcomeUnknown", status(302, { body: "" })],
    ["a server error", "OutcomeUnknown", status(500)],
    ["a failing upstream", "OutcomeUnknown", status(502)],
    ["a failing upstream after the post was taken", "OutcomeUnknown", status(502, { when: "after_commit" })],
    ["an unreadable success", "OutcomeUnknown", status(200, { body: "<html>", when: "after_commit" })],
    ["a connection lost before the post was taken", "OutcomeUnknown", { kind: "reset", when: "before_commit" }],
    ["a connection lost after the post was taken", "OutcomeUnknown", { kind: "reset", when: "after_commit" }]
  ] satisfies Array<[string, string, Fault]>)("takes %s for %s", ([, expected, fault]) =>
    Effect.gen(function* () {
      const { meet, posts, publish } = yield* bluesky
      yield* meet(fault)
      assert.strictEqual(yield* outcome(publish("Hello")), expected)
      assert.lengthOf(yield* posts, "when" in fault && fault.when === "after_commit" ? 1 : 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["until the PDS's reset time", 600, status(429, { reset_after: 600 })],
    ["as long as Retry-After says", 45, status(429, { retry_after: 45 })],
    ["five minutes where the PDS does not say", 300, status(429)]
  ] satisfies Array<[string, number, Fault]>)("waits %s when it is rate limited", ([, seconds, fault]) =>
    Effect.gen(function* () {
      const { meet, publish } = yield* bluesky
      yield* meet(fault)
      const error = yield* Effect.flip(publish("Hello"))
      assert.instanceOf(error, RateLimited)
      const waits = Duration.toSeconds(DateTime.distance(yield* DateTime.now, error.until))
      assert.isTrue(waits >= seconds && waits < seconds + 1, `${waits}`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is unavailable where nothing listens, because nothing was sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { account, prepare } = yield* bluesky
      const config = sandbox.platforms("https://posts.example")
      const nowhere = platformClientLayer({
        ...config,
        bluesky: { ...config.bluesky, defaultServiceUrl: "http://127.0.0.1:1" }
      })
      const prepared = yield* prepare("Hello")
      const client = PlatformClient.pipe(Effect.provide(nowhere))
      const put = Effect.flatMap(client, (platforms) => platforms.bluesky.publish(prepared, account))
      const mention = {
        targetId,
        text: "@acme.sandbox.test",
        settings: {}
      }
      const looked = Effect.flatMap(client, (platforms) => platforms.bluesky.prepare(mention, account))
      assert.strictEqual(yield* outcome(put), "Unavailable")
      assert.strictEqual(yield* outcome(looked), "Unavailable")
    }).pipe(Effect.provide(world()))
  )

  it.effect("gives up waiting after 20 seconds, with the outcome unknown", () =>
    Effect.gen(function* () {
      const { meet, publish, sandbox } = yield* bluesky
      yield* meet({ kind: "hang", when: "after_commit" })
      const publishing = yield* Effect.forkChild(outcome(publish("Hello")))
      yield* sandbox.faults.met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect("shows nothing of a token that an error repeats", () =>
    Effect.gen(function* () {
      const { account, meet, publish } = yield* bluesky
      const { accessJwt } = JSON.parse(Redacted.value(yield* account.credentials.current))
      yield* meet(status(400, { detail: `${accessJwt} may not post` }))
      assert.strictEqual((yield* Effect.flip(publish("Hello"))).message, "Bluesky refused this post: … may not post")
    }).pipe(Effect.provide(world()))
  )
})

describe("a Bluesky session", () => {
  it.effect("is renewed when it has run out, and the new one is stored", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* bluesky
      const before = Redacted.value(yield* account.credentials.current)
      yield* TestClock.adjust("3 hours")
      yield* publish("Hello")
      assert.notStrictEqual(Redacted.value(yield* account.credentials.current), before)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("can be renewed again with a refresh token whose answer was lost", () =>
    Effect.gen(function* () {
      const { meet, posts, publish, sandbox } = yield* bluesky
      yield* sandbox.endAccess("bluesky")
      yield* meet({ kind: "reset", when: "after_commit" }, "session")
      assert.strictEqual(yield* outcome(publish("Hello")), "Unavailable")
      assert.strictEqual(yield* outcome(publish("Hello")), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("has to be opened again once the PDS refuses to renew it", () =>
    Effect.gen(function* () {
      const { posts, publish, sandbox } = yield* bluesky
      yield* sandbox.revoke("bluesky")
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("has to be opened again once the PDS refuses the renewed one too", () =>
    Effect.gen(function* () {
      const { meet, publish } = yield* bluesky
      yield* meet(status(400, { error: "ExpiredToken" }), "publish", 2)
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a closed account", "NeedsReauthorization", status(401, { error: "AccountTakedown" })],
    ["a rate limit", "RateLimited", status(429)],
    ["a server error", "Unavailable", status(502)],
    ["something that is no PDS", "Unavailable", status(403, { body: "<html>" })],
    ["an unreadable answer", "Unavailable", status(200, { body: "{}" })],
    ["a lost connection", "Unavailable", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, string, Fault]>)(
    "whose renewal meets %s: the post is %s, and nothing is sent",
    ([, expected, fault]) =>
      Effect.gen(function* () {
        const { meet, posts, publish, sandbox } = yield* bluesky
        yield* sandbox.endAccess("bluesky")
        yield* meet(fault, "session")
        assert.strictEqual(yield* outcome(publish("Hello")), expected)
        assert.lengthOf(yield* posts, 0)
      }).pipe(Effect.provide(world()))
  )

  it.effect("that is stored unreadably has to be opened again", () =>
    Effect.gen(function* () {
      const { adapter, prepare, sandbox } = yield* bluesky
      const { account } = yield* storedAccount({
        ...(yield* sandbox.connect("bluesky", "acme")),
        credentials: Redacted.make("{}")
      })
      assert.strictEqual(yield* outcome(adapter.publish(yield* prepare("Hello"), account)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})

describe("a Bluesky post whose outcome is unknown", () => {
  it.effect.each([
    ["lost before it was taken", { kind: "reset", when: "before_commit" }],
    ["lost after it was taken", { kind: "reset", when: "after_commit" }],
    ["answered with an error after it was taken", status(500, { when: "after_commit" })]
  ] satisfies Array<[string, Fault]>)("%s is put again, and there is exactly one", ([, fault]) =>
    Effect.gen(function* () {
      const { account, adapter, meet, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* meet(fault)
      assert.strictEqual(yield* outcome(adapter.publish(prepared, account)), "OutcomeUnknown")
      yield* TestClock.adjust("1 hour")
      const found = yield* adapter.reconcile(prepared, account, start)
      const again = yield* adapter.publish(prepared, account)
      assert.deepStrictEqual(found, again)
      assert.lengthOf(yield* posts, 1)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is one post even if the first send is taken after the second", () =>
    Effect.gen(function* () {
      const { account, adapter, meet, posts, prepare, sandbox } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* meet({ kind: "delay", ms: 30_000 })
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

  it.effect("never overwrites what has its key", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* adapter.publish(prepared, account)
      assert.strictEqual(yield* outcome(adapter.publish(changed(prepared, "Other"), account)), "Rejected")
      assert.strictEqual(yield* outcome(adapter.reconcile(changed(prepared, "Other"), account, start)), "Rejected")
      assert.deepStrictEqual(
        (yield* posts).map((post) => post.text),
        ["Hello"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("stays unknown where the PDS can't be reached for the second send", () =>
    Effect.gen(function* () {
      const { account, adapter, meet, prepare } = yield* bluesky
      const prepared = yield* prepare("Hello")
      yield* meet(status(403, { body: "<html>" }))
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )
})
