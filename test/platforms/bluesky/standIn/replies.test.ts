import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Sandbox } from "../../../../src/sandbox/Sandbox.ts"
import { world } from "../../world.ts"
import { postJson, send } from "../../../sandbox/requests.ts"

const bluesky = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("bluesky", "acme")
  const { accessJwt } = JSON.parse(Redacted.value(account.credentials))
  const url = `${sandbox.apiUrls.bluesky}/xrpc/com.atproto.repo.putRecord`
  const put = (rkey: string, text: string, reply?: unknown) =>
    send(
      postJson(url, accessJwt, {
        repo: account.accountId,
        collection: "app.bsky.feed.post",
        rkey,
        swapRecord: null,
        record: { $type: "app.bsky.feed.post", text, createdAt: "2030-01-31T12:00:00.000Z", reply }
      })
    )
  const first = Effect.map(put("3lacsy4tuss2a", "One"), ({ body }): { uri: string; cid: string } => ({
    uri: body.uri,
    cid: body.cid
  }))
  return { sandbox, put, first }
})

describe("A reply on the sandbox's PDS", () => {
  it.effect("is stored with the records that it names, and its content id depends on them", () =>
    Effect.gen(function* () {
      const { first, put, sandbox } = yield* bluesky
      const root = yield* first
      const reply = { root, parent: { ...root, uri: `${root.uri}b` } }
      const { body, status } = yield* put("3lacsy4tuss2b", "Two", reply)
      assert.strictEqual(status, 200)
      const [post] = yield* sandbox.posts
      assert.deepStrictEqual(post?.reply, { root: root.uri, parent: `${root.uri}b` })
      assert.deepInclude(post?.record?.value, { reply })
      const other = yield* put("3lacsy4tuss2c", "Two", { root, parent: root })
      assert.notStrictEqual(other.body.cid, body.cid)
    }).pipe(Effect.provide(world()))
  )

  const reference = { uri: "at://did:plc:a/app.bsky.feed.post/3lacsy4tuss2a", cid: `bafyrei${"a".repeat(52)}` }

  it.effect.each([
    ["no root", { parent: reference }],
    ["no parent", { root: reference }],
    ["an address that is none", { root: reference, parent: { ...reference, uri: "https://example.com" } }],
    ["an address with a handle", { root: reference, parent: { ...reference, uri: "at://acme.test/a.b/c" } }],
    ["a content id that is none", { root: { ...reference, cid: "?" }, parent: reference }],
    ["no content id", { root: { uri: reference.uri }, parent: reference }],
    ["an unknown member", { root: reference, parent: reference, mood: "good" }]
  ] satisfies Array<[string, unknown]>)("with %s is refused", ([, reply]) =>
    Effect.gen(function* () {
      const { put, sandbox } = yield* bluesky
      const { body, status } = yield* put("3lacsy4tuss2b", "Two", reply)
      assert.deepStrictEqual([status, body.error], [400, "InvalidRequest"])
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("meets what was ordered for replies, which a post of its own passes by", () =>
    Effect.gen(function* () {
      const { first, put, sandbox } = yield* bluesky
      yield* sandbox.faults.add({ platform: "bluesky", call: "reply", fault: { kind: "status", status: 502 } })
      const root = yield* first
      const reply = { root, parent: root }
      assert.strictEqual((yield* put("3lacsy4tuss2b", 'Not one: "reply":', undefined)).status, 200)
      assert.strictEqual((yield* put("3lacsy4tuss2c", "Two", reply)).status, 502)
      assert.strictEqual((yield* put("3lacsy4tuss2c", "Two", reply)).status, 200)
    }).pipe(Effect.provide(world()))
  )
})
