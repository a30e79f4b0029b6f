import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { makeTwitterStandIn } from "../../../../src/platforms/twitter/standIn/standIn.ts"
import { Sandbox, type SandboxOptions } from "../../../../src/sandbox/Sandbox.ts"
import type { CallKind, Fault } from "../../../../src/sandbox/state/faults.ts"
import { world } from "../../world.ts"
import { deleteWith, postJson, send } from "../../../sandbox/requests.ts"

/** An account on X, by the name that it comes from. */
const user = Effect.fn(function* (name = "acme") {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("twitter", name)
  const { accessToken } = JSON.parse(Redacted.value(account.credentials))
  const url = sandbox.apiUrls.twitter
  const post = (body: object) => send(postJson(`${url}/2/tweets`, accessToken, body))
  return {
    sandbox,
    account,
    post,
    reply: (text: string, id: string, more: object = {}) =>
      post({ text, reply: { in_reply_to_tweet_id: id, ...more } }),
    /** Posts, and returns the id. */
    create: (text: string) => Effect.map(post({ text }), ({ body }): string => body.data.id),
    remove: (id: string, token: string = accessToken) => send(deleteWith(`${url}/2/tweets/${id}`, token)),
    timeline: (params: Readonly<Record<string, string>>) =>
      send(
        HttpClientRequest.get(`${url}/2/users/${account.accountId}/tweets`, { urlParams: params }).pipe(
          HttpClientRequest.bearerToken(accessToken)
        )
      ),
    order: (fault: Fault, call: CallKind = "publish") => sandbox.faults.add({ platform: "twitter", call, fault })
  }
})

const provided = (options?: SandboxOptions) => Effect.provide(world(options))

/** A refusal as X is reported to word it. */
const unseen = {
  errors: [{ code: 385, message: "You attempted to reply to a Tweet that is deleted or not visible to you." }],
  title: "Forbidden",
  detail: "You attempted to reply to a Tweet that is deleted or not visible to you.",
  type: "about:blank",
  status: 403
}
const forbidden = "https://api.x.com/2/problems/not-authorized-for-resource"

describe("A reply on the sandbox's X", () => {
  it.effect("is stored with the post that it replies to, and the first post of that one's thread", () =>
    Effect.gen(function* () {
      const { create, reply, sandbox } = yield* user()
      const one = yield* create("One")
      const more = { auto_populate_reply_metadata: false, exclude_reply_user_ids: ["12"] }
      const { body, status } = yield* reply("Two", one, more)
      assert.strictEqual(status, 201)
      const three = yield* reply("Three", body.data.id)
      assert.deepStrictEqual(
        (yield* sandbox.posts).map((post) => [post.id, post.reply]),
        [
          [three.body.data.id, { root: one, parent: body.data.id }],
          [body.data.id, { root: one, parent: one }],
          [one, undefined]
        ]
      )
    }).pipe(provided())
  )

  it.effect.each([
    ["an unknown member", { in_reply_to_tweet_id: "1", mood: "good" }, "reply.mood"],
    ["no id", {}, "reply.in_reply_to_tweet_id"],
    ["an id of twenty digits", { in_reply_to_tweet_id: "1".repeat(20) }, "reply.in_reply_to_tweet_id"],
    ["an id that is a number", { in_reply_to_tweet_id: 1 }, "reply.in_reply_to_tweet_id"]
  ] satisfies Array<[string, object, string]>)("with %s is invalid", ([, reply, member]) =>
    Effect.gen(function* () {
      const { post } = yield* user()
      const response = yield* post({ text: "Two", reply })
      assert.strictEqual(response.status, 400)
      assert.include(JSON.stringify(response.body.errors), `$.${member}`)
    }).pipe(provided())
  )

  it.effect("to a post that was deleted, or that there never was, is refused with X's words and code", () =>
    Effect.gen(function* () {
      const { create, remove, reply, sandbox } = yield* user()
      const one = yield* create("One")
      yield* remove(one)
      for (const id of [one, "1"]) {
        const { body, status } = yield* reply("Two", id)
        assert.deepStrictEqual([status, body], [403, unseen])
      }
      assert.lengthOf(yield* sandbox.posts, 0)
    }).pipe(provided())
  )

  it.effect("to a post that X was ordered not to show is refused for so long, and then taken", () =>
    Effect.gen(function* () {
      const { create, order, reply } = yield* user()
      yield* order({ kind: "unseen", ms: 3000 })
      const hidden = yield* create("Hidden")
      const shown = yield* create("Shown")
      assert.strictEqual((yield* reply("At once", shown)).status, 201)
      yield* TestClock.adjust("2999 millis")
      assert.deepStrictEqual((yield* reply("Two", hidden)).body, unseen)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* reply("Two", hidden)).status, 201)
    }).pipe(provided())
  )

  it.effect("is refused once by an order that nobody can reply, which waits for a reply", () =>
    Effect.gen(function* () {
      const { create, order, reply } = yield* user()
      yield* order({ kind: "no_replies" }, "reply")
      const one = yield* create("One")
      const { body, status } = yield* reply("Two", one)
      assert.deepStrictEqual([status, body.type], [403, forbidden])
      assert.strictEqual((yield* reply("Two", one)).status, 201)
    }).pipe(provided())
  )

  it.effect("meets what was ordered for posts as well as for replies, in the order of both", () =>
    Effect.gen(function* () {
      const { create, order, reply, sandbox } = yield* user()
      const one = yield* create("One")
      yield* order({ kind: "status", status: 503 })
      yield* order({ kind: "status", status: 500 }, "reply")
      assert.deepStrictEqual(
        [(yield* reply("Two", one)).status, (yield* reply("Two", one)).status, (yield* reply("Two", one)).status],
        [503, 500, 201]
      )
      assert.lengthOf(yield* sandbox.faults.pending, 0)
    }).pipe(provided())
  )

  it.effect.each([
    ["refused", "self-serve", 403],
    ["taken from an enterprise", "enterprise", 201]
  ] as const)("to another account's post is %s", ([, access, status]) =>
    Effect.gen(function* () {
      const one = yield* Effect.flatMap(user("other"), ({ create }) => create("One"))
      const { reply } = yield* user()
      const response = yield* reply("Two", one)
      assert.deepStrictEqual([response.status, response.body.type], [status, status === 403 ? forbidden : undefined])
    }).pipe(provided({ configured: { twitter: { standIn: makeTwitterStandIn(access) } } }))
  )

  it.effect("with a text that the account has posted, in whichever thread, is refused as a duplicate", () =>
    Effect.gen(function* () {
      const { create, reply } = yield* user()
      const [one, two] = [yield* create("One"), yield* create("Two")]
      assert.strictEqual((yield* reply("Same", one)).status, 201)
      for (const repeated of [yield* reply("Same", two), yield* reply("Two", one)]) {
        assert.strictEqual(repeated.status, 403)
        assert.include(repeated.body.detail, "duplicate content")
      }
    }).pipe(provided())
  )

  it.effect.each(["post.fields", "tweet.fields"])("is shown with its conversation where %s ask for that", (name) =>
    Effect.gen(function* () {
      const { create, reply, timeline } = yield* user()
      const one = yield* create("One")
      yield* reply("Two", one)
      const conversations = (response: { readonly body: { readonly data: Array<{ conversation_id?: string }> } }) =>
        response.body.data.map(({ conversation_id }) => conversation_id)
      assert.deepStrictEqual(conversations(yield* timeline({ [name]: "created_at" })), [undefined, undefined])
      assert.deepStrictEqual(conversations(yield* timeline({ [name]: "created_at,conversation_id" })), [one, one])
    }).pipe(provided())
  )
})

describe("Deleting a post on the sandbox's X", () => {
  it.effect("takes the account's own post off the timeline, once", () =>
    Effect.gen(function* () {
      const { create, remove, sandbox } = yield* user()
      const other = yield* Effect.flatMap(user("other"), (someone) => someone.create("Another's"))
      const one = yield* create("One")
      assert.strictEqual((yield* remove(one, "unknown")).status, 401)
      assert.strictEqual((yield* remove(other)).status, 404)
      const { body, status } = yield* remove(one)
      assert.deepStrictEqual([status, body], [200, { data: { deleted: true } }])
      assert.strictEqual((yield* remove(one)).status, 404)
      assert.deepStrictEqual(
        (yield* sandbox.posts).map(({ text }) => text),
        ["Another's"]
      )
    }).pipe(provided())
  )

  it.effect("meets what was ordered for it, and nothing that was ordered for posts", () =>
    Effect.gen(function* () {
      const { create, order, remove, sandbox } = yield* user()
      const one = yield* create("One")
      yield* order({ kind: "status", status: 503 })
      yield* order({ kind: "status", status: 500 }, "delete")
      assert.strictEqual((yield* remove(one)).status, 500)
      assert.strictEqual((yield* remove(one)).status, 200)
      assert.lengthOf(yield* sandbox.faults.pending, 1)
    }).pipe(provided())
  )
})
