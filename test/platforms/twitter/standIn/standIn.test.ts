import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { makeTwitterStandIn } from "../../../../src/platforms/twitter/standIn/standIn.ts"
import { Sandbox } from "../../../../src/sandbox/Sandbox.ts"
import { sandboxApplication } from "../../../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import { world } from "../../world.ts"
import { postJson, send } from "../../../sandbox/requests.ts"

const twitter = Effect.fn(function* () {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("twitter", "acme")
  const { accessToken, refreshToken } = JSON.parse(Redacted.value(account.credentials))
  const url = sandbox.apiUrls.twitter
  return {
    sandbox,
    account,
    accessToken,
    refreshToken,
    post: (body: unknown, token: string = accessToken) => send(postJson(`${url}/2/tweets`, token, body)),
    timeline: (params: Readonly<Record<string, string>>, token: string = accessToken) =>
      send(
        HttpClientRequest.get(`${url}/2/users/${account.accountId}/tweets`, { urlParams: params }).pipe(
          HttpClientRequest.bearerToken(token)
        )
      ),
    token: (form: Readonly<Record<string, string>>, secret = sandboxApplication.clientSecret) =>
      send(
        HttpClientRequest.post(`${url}/2/oauth2/token`).pipe(
          HttpClientRequest.bodyUrlParams(form),
          HttpClientRequest.basicAuth(sandboxApplication.clientId, secret)
        )
      )
  }
})

describe("The sandbox's X API", () => {
  it.effect("The response to a post has its id, its text with wrapped links, and the rate limit headers", () =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      const { body, headers, status } = yield* post({ text: "a & b https://example.com" })
      assert.strictEqual(status, 201)
      assert.match(body.data.id, /^\d{18,19}$/)
      assert.match(body.data.text, /^a &amp; b https:\/\/t\.co\/\w{10}$/)
      assert.strictEqual(headers["x-rate-limit-limit"], "100")
      assert.strictEqual(headers["x-rate-limit-remaining"], "99")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["an unknown member", { text: "Hello", mood: "good" }, "mood"],
    [
      "`everyone` as reply_settings, which is the default and has no value",
      { text: "Hello", reply_settings: "everyone" },
      "reply_settings"
    ],
    ["a blank text", { text: " " }, "text"],
    ["a text of which nothing can be seen", { text: "\u3164\u200B" }, "text"],
    ["no text", {}, "text"],
    ["a text that is not a string", { text: 1 }, "text"]
  ] satisfies Array<[string, unknown, string]>)("A post with %s is refused", ([, body, member]) =>
    Effect.gen(function* () {
      const { post, sandbox } = yield* twitter()
      const response = yield* post(body)
      assert.strictEqual(response.status, 400)
      assert.include(JSON.stringify(response.body.errors), `$.${member}`)
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A text that is too long is refused, and so is one that was posted less than 12 hours ago", () =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      assert.strictEqual((yield* post({ text: "漢".repeat(141) })).status, 403)
      assert.strictEqual((yield* post({ text: "Hello" })).status, 201)
      const repeated = yield* post({ text: "Hello" })
      assert.strictEqual(repeated.status, 403)
      assert.include(repeated.body.detail, "duplicate content")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["refused", "self-serve", 403],
    ["taken from an enterprise", "enterprise", 201]
  ] as const)("A post with two cashtags is %s", ([, access, status]) =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      assert.strictEqual((yield* post({ text: "$AAPL and $TSLA" })).status, status)
      assert.strictEqual((yield* post({ text: "$AAPL" })).status, 201)
    }).pipe(Effect.provide(world({ configured: { twitter: { standIn: makeTwitterStandIn(access) } } })))
  )

  it.effect("Of two requests with the same text at the same time, one is refused", () =>
    Effect.gen(function* () {
      const { post, sandbox } = yield* twitter()
      const responses = yield* Effect.all([post({ text: "Hello" }), post({ text: "Hello" })], { concurrency: 2 })
      assert.sameMembers(
        responses.map(({ status }) => status),
        [201, 403]
      )
      assert.lengthOf(yield* sandbox.posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An unknown token is refused, and so is one that is two hours old", () =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      assert.strictEqual((yield* post({ text: "Hello" }, "unknown")).status, 401)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* post({ text: "Hello" })).status, 401)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A refresh token works once, and its second use revokes both pairs of tokens", () =>
    Effect.gen(function* () {
      const { post, refreshToken, token } = yield* twitter()
      const form = { grant_type: "refresh_token", refresh_token: refreshToken }
      const { body } = yield* token(form)
      assert.strictEqual((yield* post({ text: "Hello" }, body.access_token)).status, 201)
      const reused = yield* token(form)
      assert.strictEqual(reused.status, 400)
      assert.strictEqual(reused.body.error_description, "Value passed for the token was invalid.")
      assert.strictEqual((yield* post({ text: "Again" }, body.access_token)).status, 401)
      assert.strictEqual((yield* token({ ...form, refresh_token: body.refresh_token })).status, 400)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Only the registered application gets tokens", () =>
    Effect.gen(function* () {
      const { refreshToken, token } = yield* twitter()
      const form = { grant_type: "refresh_token", refresh_token: refreshToken }
      assert.strictEqual((yield* token(form, "wrong")).status, 401)
      assert.strictEqual((yield* token(form)).status, 200)
      assert.strictEqual((yield* token({ grant_type: "password" })).status, 400)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A timeline has the account's own posts since the start time, newest first", () =>
    Effect.gen(function* () {
      const { post, timeline } = yield* twitter()
      assert.deepStrictEqual((yield* timeline({})).body, { meta: { result_count: 0 } })
      yield* post({ text: "One" })
      yield* TestClock.adjust("1 minute")
      yield* post({ text: "Two" })
      const texts = (response: { readonly body: { readonly data: Array<{ readonly text: string }> } }) =>
        response.body.data.map(({ text }) => text)
      assert.deepStrictEqual(texts(yield* timeline({})), ["Two", "One"])
      assert.deepStrictEqual(texts(yield* timeline({ start_time: "2030-01-31T12:00:30Z" })), ["Two"])
      assert.strictEqual((yield* timeline({})).body.data[1].created_at, "2030-01-31T12:00:00.000Z")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["an unknown parameter", { since: "now" }],
    ["a time in another form", { start_time: "2030-01-31T12:00:00.000Z" }],
    ["too many results", { max_results: "101" }]
  ] satisfies Array<[string, Readonly<Record<string, string>>]>)(
    "A timeline request with %s is refused",
    ([, params]) =>
      Effect.gen(function* () {
        const { timeline } = yield* twitter()
        assert.strictEqual((yield* timeline(params)).status, 400)
      }).pipe(Effect.provide(world()))
  )
})
