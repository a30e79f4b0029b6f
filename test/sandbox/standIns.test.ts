import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { sandboxApplication } from "../../src/sandbox/twitter/tokenEndpoint.ts"
import { world } from "../platforms/world.ts"

/** Sends a request as it stands, and reads the answer. */
const send = Effect.fn(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(request)
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
})

const withBody = (url: string, token: string, body: unknown) =>
  HttpClientRequest.post(url).pipe(HttpClientRequest.bearerToken(token), HttpClientRequest.bodyJsonUnsafe(body))

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
    post: (body: unknown, token: string = accessToken) => send(withBody(`${url}/2/tweets`, token, body)),
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

describe("the sandbox's X", () => {
  it.effect("answers a post with its id and wrapped text, and how much of the limit is left", () =>
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
    ["a member that it does not know", { text: "Hello", mood: "good" }, "mood"],
    [
      "`everyone`, which is said by leaving the member out",
      { text: "Hello", reply_settings: "everyone" },
      "reply_settings"
    ],
    ["a blank text", { text: " " }, "text"],
    ["no text", {}, "text"],
    ["a text that is no text", { text: 1 }, "text"]
  ] satisfies Array<[string, unknown, string]>)("refuses %s", ([, body, member]) =>
    Effect.gen(function* () {
      const { post, sandbox } = yield* twitter()
      const answer = yield* post(body)
      assert.strictEqual(answer.status, 400)
      assert.include(JSON.stringify(answer.body.errors), `$.${member}`)
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses a text that is too long, and one that was posted less than twelve hours ago", () =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      assert.strictEqual((yield* post({ text: "漢".repeat(141) })).status, 403)
      assert.strictEqual((yield* post({ text: "Hello" })).status, 201)
      const repeated = yield* post({ text: "Hello" })
      assert.strictEqual(repeated.status, 403)
      assert.include(repeated.body.detail, "duplicate content")
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses one of two same texts that come at once", () =>
    Effect.gen(function* () {
      const { post, sandbox } = yield* twitter()
      const answers = yield* Effect.all([post({ text: "Hello" }), post({ text: "Hello" })], { concurrency: 2 })
      assert.sameMembers(
        answers.map(({ status }) => status),
        [201, 403]
      )
      assert.lengthOf(yield* sandbox.posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses tokens that it does not know, and those that are two hours old", () =>
    Effect.gen(function* () {
      const { post } = yield* twitter()
      assert.strictEqual((yield* post({ text: "Hello" }, "unknown")).status, 401)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* post({ text: "Hello" })).status, 401)
    }).pipe(Effect.provide(world()))
  )

  it.effect("gives a new pair of tokens for a refresh token once, and ends both on its second use", () =>
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

  it.effect("gives tokens only to the application", () =>
    Effect.gen(function* () {
      const { refreshToken, token } = yield* twitter()
      const form = { grant_type: "refresh_token", refresh_token: refreshToken }
      assert.strictEqual((yield* token(form, "wrong")).status, 401)
      assert.strictEqual((yield* token(form)).status, 200)
      assert.strictEqual((yield* token({ grant_type: "password" })).status, 400)
    }).pipe(Effect.provide(world()))
  )

  it.effect("shows an account's own posts, newest first, from a time on", () =>
    Effect.gen(function* () {
      const { post, timeline } = yield* twitter()
      assert.deepStrictEqual((yield* timeline({})).body, { meta: { result_count: 0 } })
      yield* post({ text: "One" })
      yield* TestClock.adjust("1 minute")
      yield* post({ text: "Two" })
      const texts = (answer: { readonly body: { readonly data: Array<{ readonly text: string }> } }) =>
        answer.body.data.map(({ text }) => text)
      assert.deepStrictEqual(texts(yield* timeline({})), ["Two", "One"])
      assert.deepStrictEqual(texts(yield* timeline({ start_time: "2030-01-31T12:00:30Z" })), ["Two"])
      assert.strictEqual((yield* timeline({})).body.data[1].created_at, "2030-01-31T12:00:00.000Z")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a parameter that it does not know", { since: "now" }],
    ["a time in another form", { start_time: "2030-01-31T12:00:00.000Z" }],
    ["too many results", { max_results: "101" }]
  ] satisfies Array<[string, Readonly<Record<string, string>>]>)("refuses a timeline with %s", ([, params]) =>
    Effect.gen(function* () {
      const { timeline } = yield* twitter()
      assert.strictEqual((yield* timeline(params)).status, 400)
    }).pipe(Effect.provide(world()))
  )
})

const bluesky = Effect.fn(function* () {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("bluesky", "acme")
  const { accessJwt, refreshJwt } = JSON.parse(Redacted.value(account.credentials))
  const method = (name: string) => `${sandbox.apiUrls.bluesky}/xrpc/${name}`
  const record = { $type: "app.bsky.feed.post", text: "Hello", createdAt: "2030-01-31T12:00:00.000Z" }
  const put = { repo: account.accountId, collection: "app.bsky.feed.post", rkey: "3lacsy4tuss2a", swapRecord: null }
  return {
    sandbox,
    refreshJwt,
    record,
    put: (changes: object = {}, token: string = accessJwt) =>
      send(withBody(method("com.atproto.repo.putRecord"), token, { ...put, record, ...changes })),
    refresh: (token: string) =>
      send(
        HttpClientRequest.post(method("com.atproto.server.refreshSession")).pipe(HttpClientRequest.bearerToken(token))
      ),
    query: (name: string, urlParams: Readonly<Record<string, string>>) =>
      send(HttpClientRequest.get(method(name), { urlParams }).pipe(HttpClientRequest.bearerToken(accessJwt)))
  }
})

describe("the sandbox's PDS", () => {
  it.effect("puts a record once, and answers the same call again without a commit", () =>
    Effect.gen(function* () {
      const { put, sandbox } = yield* bluesky()
      const first = yield* put()
      const second = yield* put()
      assert.strictEqual(first.status, 200)
      assert.isDefined(first.body.commit)
      assert.strictEqual(second.status, 200)
      assert.isUndefined(second.body.commit)
      assert.strictEqual(second.body.cid, first.body.cid)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
      assert.strictEqual(first.headers["ratelimit-policy"], "5000;w=3600")
      assert.strictEqual(first.headers["ratelimit-remaining"], "4998")
    }).pipe(Effect.provide(world()))
  )

  it.effect("swaps a record only for the one that is named, and any where none is", () =>
    Effect.gen(function* () {
      const { put, record, sandbox } = yield* bluesky()
      const { body } = yield* put()
      const other = { ...record, text: "Other" }
      const refused = yield* put({ record: other })
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.body.error, "InvalidSwap")
      assert.strictEqual((yield* put({ record: other, swapRecord: body.cid })).status, 200)
      assert.strictEqual((yield* put({ swapRecord: undefined })).status, 200)
      assert.strictEqual((yield* sandbox.accepted).bluesky, 3)
      assert.lengthOf(yield* sandbox.posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a member that it does not know", { mood: "good" }],
    ["a key that is no TID", { rkey: "post" }],
    ["another collection", { collection: "app.bsky.feed.like" }],
    [
      "a text of 301 characters",
      { record: { $type: "app.bsky.feed.post", text: "é".repeat(301), createdAt: "2030-01-31T12:00:00Z" } }
    ],
    [
      "a text of 3001 bytes",
      { record: { $type: "app.bsky.feed.post", text: `${"👨‍👩‍👧‍👦".repeat(120)}a`, createdAt: "2030-01-31T12:00:00Z" } }
    ],
    ["a time that is none", { record: { $type: "app.bsky.feed.post", text: "Hello", createdAt: "today" } }],
    [
      "an unknown member of the record",
      { record: { $type: "app.bsky.feed.post", text: "Hello", createdAt: "2030-01-31T12:00:00Z", mood: 1 } }
    ],
    [
      "a facet beyond the text",
      {
        record: {
          $type: "app.bsky.feed.post",
          text: "Hello",
          createdAt: "2030-01-31T12:00:00Z",
          facets: [
            { index: { byteStart: 0, byteEnd: 6 }, features: [{ $type: "app.bsky.richtext.facet#tag", tag: "a" }] }
          ]
        }
      }
    ],
    [
      "a facet that cuts a character",
      {
        record: {
          $type: "app.bsky.feed.post",
          text: "é",
          createdAt: "2030-01-31T12:00:00Z",
          facets: [
            { index: { byteStart: 0, byteEnd: 1 }, features: [{ $type: "app.bsky.richtext.facet#tag", tag: "a" }] }
          ]
        }
      }
    ],
    [
      "a link that leads nowhere",
      {
        record: {
          $type: "app.bsky.feed.post",
          text: "Hello",
          createdAt: "2030-01-31T12:00:00Z",
          facets: [
            {
              index: { byteStart: 0, byteEnd: 5 },
              features: [{ $type: "app.bsky.richtext.facet#link", uri: "https:///" }]
            }
          ]
        }
      }
    ]
  ] satisfies Array<[string, object]>)("refuses %s", ([, changes]) =>
    Effect.gen(function* () {
      const { put, sandbox } = yield* bluesky()
      const answer = yield* put(changes)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.body.error, "InvalidRequest")
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("tells a token that it does not know from one that has run out", () =>
    Effect.gen(function* () {
      const { put } = yield* bluesky()
      const unknown = yield* put({}, "unknown")
      assert.deepStrictEqual([unknown.status, unknown.body.error], [400, "InvalidToken"])
      yield* TestClock.adjust("2 hours")
      const expired = yield* put()
      assert.deepStrictEqual([expired.status, expired.body.error], [400, "ExpiredToken"])
    }).pipe(Effect.provide(world()))
  )

  it.effect("gives the same new refresh token for a used one, but not hours later", () =>
    Effect.gen(function* () {
      const { put, refresh, refreshJwt } = yield* bluesky()
      const first = yield* refresh(refreshJwt)
      const second = yield* refresh(refreshJwt)
      assert.strictEqual(second.body.refreshJwt, first.body.refreshJwt)
      assert.strictEqual((yield* put({}, second.body.accessJwt)).status, 200)
      yield* TestClock.adjust("3 hours")
      assert.strictEqual((yield* refresh(refreshJwt)).body.error, "ExpiredToken")
      assert.strictEqual((yield* refresh(first.body.refreshJwt)).status, 200)
    }).pipe(Effect.provide(world()))
  )

  it.effect("finds records, handles and the account of a session", () =>
    Effect.gen(function* () {
      const { put, query, record } = yield* bluesky()
      const { body } = yield* put()
      const [, , did = "", collection = "", rkey = ""] = body.uri.split("/")
      assert.deepStrictEqual(
        (yield* query("com.atproto.repo.getRecord", { repo: did, collection, rkey })).body.value,
        record
      )
      assert.strictEqual(
        (yield* query("com.atproto.repo.getRecord", { repo: did, collection, rkey: "x" })).body.error,
        "RecordNotFound"
      )
      assert.strictEqual(
        (yield* query("com.atproto.identity.resolveHandle", { handle: "acme.sandbox.test" })).body.did,
        did
      )
      assert.strictEqual((yield* query("com.atproto.identity.resolveHandle", { handle: "nobody.test" })).status, 400)
      assert.strictEqual((yield* query("com.atproto.server.getSession", {})).body.handle, "acme.sandbox.test")
    }).pipe(Effect.provide(world()))
  )
})
