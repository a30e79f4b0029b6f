import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Redacted, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { TargetId } from "../../../src/domain/ids.ts"
import { RateLimited } from "../../../src/domain/publishing/platformError.ts"
import { decodeSession } from "../../../src/platforms/bluesky/session.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { live } from "../../../src/platforms/live.ts"
import { type Files, noFiles } from "../../../src/platforms/MediaFiles.ts"
import { PlatformClient } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { connected, outcome, publishWithoutRenewal, start, statusFault, targetId, world } from "../world.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { strictHttpLayer } from "../../support/http/platformHttpLayer.ts"

const bluesky = connected("bluesky")

describe("BlueskyAdapter.publish", () => {
  it.effect("A post is put as one record, and the publication says where it is", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* bluesky
      const publication = yield* publish("Good morning")
      const [post] = yield* posts
      assert.deepStrictEqual(publication, {
        platformPostId: `at://${account.accountId}/app.bsky.feed.post/${post?.id}`,
        url: `https://posts.example/sandbox/bluesky/profile/${account.accountId}/post/${post?.id}`,
        cid: post?.record?.cid ?? ""
      })
      assert.deepStrictEqual(post?.record?.value, {
        $type: "app.bsky.feed.post",
        text: "Good morning",
        createdAt: DateTime.formatIso(start)
      })
    }).pipe(Effect.provide(world()))
  )

  it.effect("The record has facets for links, which are shown shortened, hashtags, and handles that resolve", () =>
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
    ["times out", { kind: "hang" }],
    ["fails with a 502", statusFault(502)],
    ["returns a body that can't be decoded", statusFault(200, { body: "{}" })]
  ] satisfies Array<[string, Fault]>)("A mention stays plain text if its lookup %s", ([, fault]) =>
    Effect.gen(function* () {
      const { injectFault, posts, publish, sandbox } = yield* bluesky
      yield* injectFault(fault, "identity")
      const publishing = yield* Effect.forkChild(publish("Hello @acme.sandbox.test"))
      yield* sandbox.faults.met
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(publishing)
      assert.notProperty((yield* posts)[0]?.record?.value, "facets")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["an invalid request", "Rejected", statusFault(400, { detail: "Invalid record" })],
    ["a body that is too large", "Rejected", statusFault(413, { error: "PayloadTooLarge" })],
    ["an answer of 413 by something in front of the PDS", "OutcomeUnknown", { kind: "front", status: 413 }],
    ["an answer of 400 by something in front of the PDS", "OutcomeUnknown", { kind: "front", status: 400 }],
    ["an answer of 401 by something in front of the PDS", "OutcomeUnknown", { kind: "front", status: 401 }],
    ["an answer of 429 by something in front of the PDS", "OutcomeUnknown", { kind: "front", status: 429 }],
    ["an account that was taken down", "NeedsReauthorization", statusFault(401, { error: "AccountTakedown" })],
    ["a deactivated account", "NeedsReauthorization", statusFault(401, { error: "AccountDeactivated" })],
    ["a suspended account", "NeedsReauthorization", statusFault(400, { error: "AccountSuspended" })],
    ["an unknown session", "NeedsReauthorization", statusFault(401, { error: "AuthMissing" })],
    ["an account that does not exist", "NeedsReauthorization", statusFault(403, { error: "AccountNotFound" })],
    ["a refusal by something in front of the PDS", "OutcomeUnknown", statusFault(403, { body: "<html>" })],
    ["a server that is not a PDS", "OutcomeUnknown", statusFault(404, { body: "" })],
    ["a rate limit", "RateLimited", statusFault(429)],
    ["a redirect", "OutcomeUnknown", statusFault(302, { body: "" })],
    ["a server error", "OutcomeUnknown", statusFault(500)],
    ["a failing upstream", "OutcomeUnknown", statusFault(502)],
    ["a failing upstream after the post was stored", "OutcomeUnknown", statusFault(502, { when: "after_commit" })],
    ["a success that can't be decoded", "OutcomeUnknown", statusFault(200, { body: "<html>", when: "after_commit" })],
    ["a connection lost before the post was stored", "OutcomeUnknown", { kind: "reset", when: "before_commit" }],
    ["a connection lost after the post was stored", "OutcomeUnknown", { kind: "reset", when: "after_commit" }]
  ] satisfies Array<[string, string, Fault]>)("Publishing that meets %s ends as %s", ([, expected, fault]) =>
    Effect.gen(function* () {
      const { injectFault, posts, publish } = yield* bluesky
      yield* injectFault(fault)
      assert.strictEqual(yield* outcome(publish("Hello")), expected)
      assert.lengthOf(yield* posts, "when" in fault && fault.when === "after_commit" ? 1 : 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["until the PDS's reset time", 600, statusFault(429, { reset_after: 600 })],
    ["for the time in Retry-After", 45, statusFault(429, { retry_after: 45 })],
    ["five minutes if the PDS does not say how long", 300, statusFault(429)]
  ] satisfies Array<[string, number, Fault]>)("A rate limit lasts %s", ([, seconds, fault]) =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* bluesky
      yield* injectFault(fault)
      const error = yield* Effect.flip(publish("Hello"))
      assert.instanceOf(error, RateLimited)
      const waits = Duration.toSeconds(DateTime.distance(yield* DateTime.now, error.until))
      // Reset headers and the PDS's Date have whole seconds.
      assert.isTrue(waits >= seconds && waits <= seconds + 1, `${waits}`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A server that refuses connections is unavailable, because nothing was sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { account, prepare } = yield* bluesky
      const config = sandbox.platforms("https://posts.example")
      const nowhere = platformClientLayer({
        ...config,
        bluesky: live.bluesky.connectStandIn("http://127.0.0.1:1", config.bluesky.webUrl)
      })
      const prepared = yield* prepare("Hello")
      const client = PlatformClient.pipe(Effect.provide(nowhere))
      const put = Effect.flatMap(client, (platforms) => sendPost(platforms.bluesky, prepared, account))
      const mention = { targetId, text: "@acme.sandbox.test", settings: {} }
      const lookup = Effect.flatMap(client, (platforms) => platforms.bluesky.prepare(mention, account))
      assert.strictEqual(yield* outcome(put), "Unavailable")
      assert.strictEqual(yield* outcome(lookup), "Unavailable")
    }).pipe(Effect.provide(world()))
  )

  it.effect("An error message never contains the access token that the PDS repeats", () =>
    Effect.gen(function* () {
      const { account, injectFault, publish } = yield* bluesky
      const { accessJwt } = JSON.parse(Redacted.value(yield* account.credentials.current))
      yield* injectFault(statusFault(400, { detail: `${accessJwt} may not post` }))
      assert.strictEqual((yield* Effect.flip(publish("Hello"))).message, "Bluesky refused this post: … may not post")
    }).pipe(Effect.provide(world()))
  )
})

describe("A Bluesky session", () => {
  it.effect("An expired session is renewed, and the renewed one is stored", () =>
    Effect.gen(function* () {
      const { account, posts, publish } = yield* bluesky
      const before = Redacted.value(yield* account.credentials.current)
      yield* TestClock.adjust("3 hours")
      yield* publish("Hello")
      assert.notStrictEqual(Redacted.value(yield* account.credentials.current), before)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A renewed session says the account's current handle and the host that serves it", () =>
    Effect.gen(function* () {
      const { account, publish, renewed, sandbox } = yield* bluesky
      const moved = sandbox.apiUrls.bluesky.replace("127.0.0.1", "localhost")
      yield* sandbox.changeAccount("bluesky", account.accountId, { username: "renamed.sandbox.test", pdsUrl: moved })
      yield* sandbox.endAccess("bluesky")
      yield* publish("Hello")
      const access = yield* Ref.get(renewed)
      assert.strictEqual(access?.username, "renamed.sandbox.test")
      assert.strictEqual(access?.host, moved)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post goes to the PDS that an account has moved to, although the session has not expired", () =>
    Effect.gen(function* () {
      const { account, posts, publish, renewed, sandbox, stored } = yield* bluesky
      const moved = sandbox.apiUrls.bluesky.replace("127.0.0.1", "localhost")
      yield* sandbox.changeAccount("bluesky", account.accountId, { pdsUrl: moved })
      yield* publish("Hello")
      assert.lengthOf(yield* posts, 1)
      assert.strictEqual((yield* Ref.get(renewed))?.host, moved)
      assert.strictEqual((yield* decodeSession(yield* Ref.get(stored))).pdsUrl, moved)
    }).pipe(Effect.provide(world()))
  )

  const card = {
    url: "https://example.com/release",
    title: "Our new release",
    description: "What is new",
    thumb: { hash: createHash("sha256").update(png).digest("hex"), content_type: "image/png", size: png.byteLength }
  }
  const shownCard = { url: card.url, title: card.title, description: card.description }

  it.effect("A post has its card with the picture from the store, and the language of its workspace", () =>
    Effect.gen(function* () {
      const { account, adapter, posts } = yield* bluesky
      const files: Files = { ...noFiles, read: () => Stream.make(png) }
      const sender = { ...account, files }
      const request = { targetId, text: `See ${card.url}`, settings: {}, card, language: "pt-BR" }
      yield* sendPost(adapter, yield* adapter.prepare(request, sender), sender)
      const [post] = yield* posts
      const thumb = post?.card?.thumb ?? ""
      assert.deepStrictEqual(post?.card, { ...shownCard, thumb })
      assert.deepStrictEqual((yield* (yield* Sandbox).file(thumb))?.bytes, png)
      assert.deepInclude(post?.record?.value, { langs: ["pt-BR"] })
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post whose picture is gone, or can't be uploaded, goes out with its card all the same", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts } = yield* bluesky
      const publish = Effect.fnUntraced(function* (files: Files, id: string) {
        const sender = { ...account, files }
        const request = { targetId: TargetId.make(id), text: `See ${card.url}`, settings: {}, card }
        yield* sendPost(adapter, yield* adapter.prepare(request, sender), sender)
      })
      yield* publish(noFiles, "01a1fc17-0000-7000-8000-0000000a1b2d")
      yield* injectFault(statusFault(503), "upload")
      yield* publish({ ...noFiles, read: () => Stream.make(png) }, "01a1fc17-0000-7000-8000-0000000a1b2e")
      assert.deepStrictEqual(
        (yield* posts).map((post) => post.card),
        [
          { ...shownCard, thumb: null },
          { ...shownCard, thumb: null }
        ]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that went out without its picture is recognized when its put is repeated with it", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts } = yield* bluesky
      const sender = { ...account, files: { ...noFiles, read: () => Stream.make(png) } }
      const prepared = yield* adapter.prepare({ targetId, text: `See ${card.url}`, settings: {}, card }, sender)
      yield* injectFault(statusFault(503), "upload")
      yield* injectFault({ kind: "reset", when: "after_commit" })
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, sender)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, sender, start)), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account whose document names a PDS inside this network is sent nothing there", () =>
    Effect.gen(function* () {
      const { account, posts, publish, sandbox } = yield* bluesky
      const inside = sandbox.apiUrls.bluesky.replace("127.0.0.1", "localhost")
      yield* sandbox.changeAccount("bluesky", account.accountId, { pdsUrl: inside })
      const error = yield* Effect.flip(publish("Hello"))
      assert.strictEqual(error._tag, "Unavailable")
      assert.include(error.message, "could not be reached")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world({}, strictHttpLayer)))
  )

  it.effect.each(["deactivated", "suspended", "takendown"] as const)(
    "An account that is %s has to be connected again, and takes posts once it is open",
    (closed) =>
      Effect.gen(function* () {
        const { account, posts, publish, sandbox } = yield* bluesky
        yield* sandbox.changeAccount("bluesky", account.accountId, { closed })
        assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
        yield* sandbox.endAccess("bluesky")
        assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
        assert.lengthOf(yield* posts, 0)
        yield* sandbox.changeAccount("bluesky", account.accountId, { closed: null })
        yield* publish("Hello")
        assert.lengthOf(yield* posts, 1)
      }).pipe(Effect.provide(world()))
  )

  it.effect("A renewed session says nothing of a handle that is invalid at the moment", () =>
    Effect.gen(function* () {
      const { account, publish, renewed, sandbox } = yield* bluesky
      yield* sandbox.changeAccount("bluesky", account.accountId, { username: "handle.invalid" })
      yield* sandbox.endAccess("bluesky")
      yield* publish("Hello")
      const access = yield* Ref.get(renewed)
      assert.isDefined(access)
      assert.notProperty(access, "username")
      assert.isNull(access?.host)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A refresh token works again if the response to its first use was lost", () =>
    Effect.gen(function* () {
      const { injectFault, posts, publish, sandbox } = yield* bluesky
      yield* sandbox.endAccess("bluesky")
      yield* injectFault({ kind: "reset", when: "after_commit" }, "session")
      assert.strictEqual(yield* outcome(publish("Hello")), "Unavailable")
      assert.strictEqual(yield* outcome(publish("Hello")), "success")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a closed account", "NeedsReauthorization", statusFault(401, { error: "AccountTakedown" })],
    ["a rate limit", "RateLimited", statusFault(429)],
    ["a server error", "Unavailable", statusFault(502)],
    ["a server that is not a PDS", "Unavailable", statusFault(403, { body: "<html>" })],
    ["a body that can't be decoded", "Unavailable", statusFault(200, { body: "{}" })],
    ["a lost connection", "Unavailable", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, string, Fault]>)(
    "A renewal that meets %s ends the attempt as %s, and nothing is sent",
    ([, expected, fault]) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* publishWithoutRenewal("bluesky", fault), expected)
      }).pipe(Effect.provide(world()))
  )
})
