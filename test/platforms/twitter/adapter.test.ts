import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { RateLimited } from "../../../src/domain/publishing/platformError.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { live } from "../../../src/platforms/live.ts"
import { PlatformClient } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { connected, outcome, publishWithoutRenewal, statusFault, world } from "../world.ts"

const x = connected("twitter")

const monthlyCap = "Usage cap exceeded: Monthly product cap"
const clientForbidden = JSON.stringify({
  title: "Client Forbidden",
  detail: "This request must be made using an approved developer account that is enrolled.",
  type: "https://api.twitter.com/2/problems/client-forbidden",
  reason: "client-not-enrolled"
})
const someEndpoints = JSON.stringify({
  errors: [
    { message: "You currently have access to a subset of X API V2 endpoints and limited v1.1 endpoints", code: 453 }
  ]
})
const suspendedDetail = "Your account is suspended and is not permitted to access this feature."
const lockedDetail = "To protect our users from spam, this account is temporarily locked. Please log in to unlock it."

const listedError = (code: number, message: string) => JSON.stringify({ errors: [{ code, message }] })
const automatedDetail =
  "This request looks like it might be automated. To protect our users from spam and other malicious activity, we can't complete this action right now. Please try again later."
const automated = listedError(226, automatedDetail)
const dailyPosts = listedError(185, "User is over daily status update limit.")

const tokenError = (error: string) => JSON.stringify({ error })

describe("TwitterAdapter.publish", () => {
  it.effect("A post is sent once, and the publication says where it is", () =>
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

  it.effect("who_can_reply is sent, and omitted for everyone", () =>
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

  it.effect.each([
    ["an invalid request", "Rejected", statusFault(400, { detail: "One or more parameters was invalid" })],
    ["spent credits", "ApplicationRefused", statusFault(402)],
    ["a spending cap", "ApplicationRefused", statusFault(403, { error: "SpendCapReached" })],
    ["spent credits as too many requests", "ApplicationRefused", statusFault(429, { error: "CreditsDepleted" })],
    ["spent credits as a server error", "OutcomeUnknown", statusFault(500, { error: "CreditsDepleted" })],
    ["an application without this endpoint", "ApplicationRefused", statusFault(403, { body: someEndpoints })],
    ["a refusal of the application", "ApplicationRefused", statusFault(403, { body: clientForbidden })],
    ["a suspended account", "NeedsReauthorization", statusFault(403, { detail: suspendedDetail })],
    ["a locked account", "NeedsReauthorization", statusFault(403, { detail: lockedDetail })],
    ["a refusal as automated", "RateLimited", statusFault(403, { body: automated })],
    ["a refusal as automated in words alone", "RateLimited", statusFault(403, { detail: automatedDetail })],
    ["too many posts in a day", "RateLimited", statusFault(403, { body: dailyPosts })],
    ["a refusal with a reason", "Rejected", statusFault(403, { detail: "You may not post this" })],
    ["a refusal by something in front of X", "OutcomeUnknown", { kind: "front", status: 403 }],
    ["that refusal after the post was stored", "OutcomeUnknown", { kind: "front", status: 403, when: "after_commit" }],
    ["a refused token of something in front of X", "OutcomeUnknown", { kind: "front", status: 401 }],
    ["a limit of something in front of X", "OutcomeUnknown", { kind: "front", status: 429 }],
    ["an overload that X stored the post in spite of", "Overloaded", { kind: "overload", ms: 60_000 }],
    ["a missing endpoint", "OutcomeUnknown", statusFault(404, { body: "" })],
    ["a rate limit", "RateLimited", statusFault(429)],
    ["a redirect", "OutcomeUnknown", statusFault(302, { body: "" })],
    ["a proxy's timeout", "OutcomeUnknown", statusFault(408, { body: "" })],
    ["a server error", "OutcomeUnknown", statusFault(500)],
    ["a bad gateway", "OutcomeUnknown", statusFault(502, { body: "" })],
    ["X's answer that it is overloaded", "Overloaded", statusFault(503)],
    ["that answer after the post was stored", "Overloaded", statusFault(503, { when: "after_commit" })],
    ["a 503 of something in front of X", "OutcomeUnknown", statusFault(503, { body: "<html>" })],
    ["a gateway's timeout", "OutcomeUnknown", statusFault(504)],
    ["a server error after the post was stored", "OutcomeUnknown", statusFault(500, { when: "after_commit" })],
    ["a success other than 201", "OutcomeUnknown", statusFault(200, { body: "{}" })],
    ["a success that can't be decoded", "OutcomeUnknown", statusFault(201, { body: "<html>", when: "after_commit" })],
    ["a success with a body of 3 MiB", "OutcomeUnknown", statusFault(201, { body: "x".repeat(3 * 1024 * 1024) })],
    ["a connection lost before the post was stored", "OutcomeUnknown", { kind: "reset", when: "before_commit" }],
    ["a connection lost after the post was stored", "OutcomeUnknown", { kind: "reset", when: "after_commit" }]
  ] satisfies Array<[string, string, Fault]>)("Publishing that meets %s ends as %s", ([, expected, fault]) =>
    Effect.gen(function* () {
      const { injectFault, posts, publish } = yield* x
      yield* injectFault(fault)
      assert.strictEqual(yield* outcome(publish("Hello")), expected)
      const stored = fault.kind === "overload" || ("when" in fault && fault.when === "after_commit")
      assert.lengthOf(yield* posts, stored ? 1 : 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("The message of a 402 is that no credits are left", () =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      yield* injectFault(statusFault(402))
      assert.include((yield* Effect.flip(publish("Hello"))).message, "no credits left")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([20, 125])("A video that is too long for the account is refused with its limit: %i minutes", (limit) =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      const detail = `You are not allowed to post a video longer than ${limit} minutes.`
      yield* injectFault(statusFault(403, { detail }))
      const error = yield* Effect.flip(publish("Hello"))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(
        error.message,
        `X does not let this account post videos of more than ${limit} minutes. Copy the post with a shorter one`
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("The message of a spending cap says what the operator can do, and X's reason", () =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      yield* injectFault(statusFault(403, { error: "SpendCapReached", detail: "The cap resets on 2030-02-01" }))
      const { message } = yield* Effect.flip(publish("Hello"))
      assert.include(message, "spending limit")
      assert.include(message, "The cap resets on 2030-02-01")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["spent credits", statusFault(402)],
    ["a spending cap", statusFault(403, { error: "SpendCapReached" })],
    ["an application without this endpoint", statusFault(403, { body: someEndpoints })]
  ] satisfies Array<[string, Fault]>)("A look for a post that meets %s tells of the application", ([, fault]) =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare } = yield* x
      const prepared = yield* prepare("Hello")
      const look = Effect.flatMap(DateTime.now, (now) => adapter.reconcile(prepared, account, now))
      yield* injectFault(fault, "timeline")
      assert.strictEqual(yield* outcome(look), "ApplicationRefused")
      assert.strictEqual(yield* outcome(look), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["until X's reset time", 600, statusFault(429, { reset_after: 600 })],
    ["for the time in Retry-After", 45, statusFault(429, { retry_after: 45 })],
    ["until the later of both", 700, statusFault(429, { reset_after: 600, retry_after: 700 })],
    ["fifteen minutes if X does not say how long", 900, statusFault(429)],
    ["fifteen minutes if X takes the account for a machine", 900, statusFault(403, { body: automated })],
    ["three hours if the account has posted too much today", 10_800, statusFault(403, { body: dailyPosts })],
    ["three hours under a cap without a reset time", 10_800, statusFault(429, { detail: monthlyCap })],
    ["a day at most", 86_400, statusFault(429, { reset_after: 10_000_000 })],
    ["no time if the reset time is past", 0, statusFault(429, { reset_after: -500 })]
  ] satisfies Array<[string, number, Fault]>)("A rate limit lasts %s", ([, seconds, fault]) =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      yield* injectFault(fault)
      const error = yield* Effect.flip(publish("Hello"))
      assert.instanceOf(error, RateLimited)
      const waits = Duration.toSeconds(DateTime.distance(yield* DateTime.now, error.until))
      // Reset headers and the platform's Date have whole seconds.
      assert.isTrue(waits >= seconds && waits <= seconds + 1, `${waits}`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("The message of a rate limit has X's reason", () =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      yield* injectFault(statusFault(429, { detail: monthlyCap }))
      assert.strictEqual(
        (yield* Effect.flip(publish("Hello"))).message,
        "X accepts no more requests from this account for now: Usage cap exceeded: Monthly product cap"
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account that published 100 posts in 15 minutes is rate limited until the window ends", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => publish(`Post ${index}`))
      assert.strictEqual(yield* outcome(publish("One more")), "RateLimited")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* outcome(publish("One more")), "success")
      assert.lengthOf(yield* posts, 101)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A server that refuses connections is unavailable, because nothing was sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { account, prepare } = yield* x
      const config = sandbox.platforms("https://posts.example")
      const nowhere = platformClientLayer({
        ...config,
        twitter: live.twitter.connectStandIn("http://127.0.0.1:1", config.twitter.webUrl)
      })
      const prepared = yield* prepare("Hello")
      const error = yield* Effect.flatMap(PlatformClient, ({ twitter }) => sendPost(twitter, prepared, account)).pipe(
        Effect.provide(nowhere),
        Effect.flip
      )
      assert.strictEqual(error._tag, "Unavailable")
      assert.include(error.message, "it refuses connections")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A text that the account has published before is refused as a duplicate", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      yield* publish("Hello")
      yield* TestClock.adjust("1 minute")
      const error = yield* Effect.flip(publish("Hello"))
      assert.strictEqual(error._tag, "DuplicateRefused")
      assert.include(error.message, "same text")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An error message never contains the tokens that X repeats", () =>
    Effect.gen(function* () {
      const { account, injectFault, publish } = yield* x
      const { accessToken, refreshToken } = JSON.parse(Redacted.value(yield* account.credentials.current))
      yield* injectFault(statusFault(403, { detail: `Neither ${accessToken} nor ${refreshToken} may post` }))
      assert.strictEqual(
        (yield* Effect.flip(publish("Hello"))).message,
        "X refused this post: Neither … nor … may post"
      )
    }).pipe(Effect.provide(world()))
  )
})

describe("Access to an X account", () => {
  it.effect("Expired access is renewed, and the renewed pair of tokens is stored", () =>
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

  it.effect("Concurrent sends renew expired access once, so that no refresh token is used twice", () =>
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

  it.effect.each([
    ["a wrong client secret", "Unavailable", statusFault(401, { body: tokenError("unauthorized_client") })],
    ["a wrong client id", "Unavailable", statusFault(400, { body: tokenError("invalid_client") })],
    ["a refused grant", "NeedsReauthorization", statusFault(400, { body: tokenError("invalid_grant") })],
    ["a refusal that can't be decoded", "Unavailable", statusFault(400, { body: "<html>" })],
    ["a response without a token", "Unavailable", statusFault(200, { body: JSON.stringify({ access_token: "" }) })],
    ["a rate limit", "RateLimited", statusFault(429)],
    ["a server error", "Unavailable", statusFault(503)],
    ["a lost connection", "Unavailable", { kind: "reset", when: "before_commit" }]
  ] satisfies Array<[string, string, Fault]>)(
    "A renewal that meets %s ends the attempt as %s, and nothing is sent",
    ([, expected, fault]) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* publishWithoutRenewal("twitter", fault), expected)
      }).pipe(Effect.provide(world()))
  )
})
