import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Sandbox } from "../../../../src/sandbox/Sandbox.ts"
import { world } from "../../world.ts"
import { postJson, send } from "../../../sandbox/requests.ts"

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
      send(postJson(method("com.atproto.repo.putRecord"), token, { ...put, record, ...changes })),
    refresh: (token: string) =>
      send(
        HttpClientRequest.post(method("com.atproto.server.refreshSession")).pipe(HttpClientRequest.bearerToken(token))
      ),
    query: (name: string, urlParams: Readonly<Record<string, string>>) =>
      send(HttpClientRequest.get(method(name), { urlParams }).pipe(HttpClientRequest.bearerToken(accessJwt)))
  }
})

describe("The sandbox's PDS", () => {
  it.effect("Putting the same record twice makes one commit", () =>
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

  it.effect("A put replaces only the record that swapRecord names, or any record without it", () =>
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
    ["an unknown member", { mood: "good" }],
    ["a key that is not a TID", { rkey: "post" }],
    ["another collection", { collection: "app.bsky.feed.like" }],
    [
      "a text of 301 graphemes",
      { record: { $type: "app.bsky.feed.post", text: "é".repeat(301), createdAt: "2030-01-31T12:00:00Z" } }
    ],
    [
      "a text of 3001 bytes",
      { record: { $type: "app.bsky.feed.post", text: `${"👨‍👩‍👧‍👦".repeat(120)}a`, createdAt: "2030-01-31T12:00:00Z" } }
    ],
    ["an invalid time", { record: { $type: "app.bsky.feed.post", text: "Hello", createdAt: "today" } }],
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
      "a facet that splits a character",
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
      "a link without a host",
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
  ] satisfies Array<[string, object]>)("A record with %s is refused", ([, changes]) =>
    Effect.gen(function* () {
      const { put, sandbox } = yield* bluesky()
      const response = yield* put(changes)
      assert.strictEqual(response.status, 400)
      assert.strictEqual(response.body.error, "InvalidRequest")
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An unknown token and an expired one have different errors", () =>
    Effect.gen(function* () {
      const { put } = yield* bluesky()
      const unknown = yield* put({}, "unknown")
      assert.deepStrictEqual([unknown.status, unknown.body.error], [400, "InvalidToken"])
      yield* TestClock.adjust("2 hours")
      const expired = yield* put()
      assert.deepStrictEqual([expired.status, expired.body.error], [400, "ExpiredToken"])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A used refresh token gets the same successor again for two hours", () =>
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

  it.effect("Records, handles and the account of a session can be looked up", () =>
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
