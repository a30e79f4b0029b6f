import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { IntegrationId } from "../../../src/domain/ids.ts"
import type { Reply } from "../../../src/domain/publishing/reply.ts"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { Account, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../../src/platforms/twitter/tokens.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { makeThread, replyTo } from "../threads.ts"
import { connected, outcome, start, statusFault, targetId, world } from "../world.ts"

const x = Effect.gen(function* () {
  const setup = yield* connected("twitter")
  return { ...setup, ...makeThread(setup.adapter, setup.account, targetId) }
})

const unseenWords = "You attempted to reply to a Tweet that is deleted or not visible to you."

describe("A part of a thread on X", () => {
  it.effect("is a reply to the part before it, in the conversation of the first part", () =>
    Effect.gen(function* () {
      const { posts, publish } = yield* x
      const [one, two, three] = yield* publish(["One", "Two", "Three"])
      const id = one?.platformPostId
      assert.deepStrictEqual(
        (yield* posts).map((post) => [post.text, post.id, post.reply]),
        [
          ["Three", three?.platformPostId, { root: id, parent: two?.platformPostId }],
          ["Two", two?.platformPostId, { root: id, parent: id }],
          ["One", id, undefined]
        ]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("says nothing of who can reply, which the first part has said", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, publish } = yield* x
      const [root = assert.fail("It was published")] = yield* publish(["One"])
      const settings = { twitter: { who_can_reply: "following" } } as const
      yield* sendPost(adapter, yield* prepare("Two", yield* replyTo(root), { settings }), account)
      yield* sendPost(adapter, yield* prepare("Apart", null, { settings }), account)
      assert.deepStrictEqual(
        (yield* posts).map((post) => post.replySettings),
        ["following", null, null]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("is not sent where it is not known what it replies to", () =>
    Effect.gen(function* () {
      const { posts, prepare, publish } = yield* x
      const [root = assert.fail("It was published")] = yield* publish(["One"])
      const reply = yield* replyTo(root)
      const unknown = { platformPostId: "", cid: null }
      assert.strictEqual(yield* outcome(prepare("Two", { ...reply, parent: unknown })), "Rejected")
      assert.strictEqual(yield* outcome(prepare("Two", { ...reply, root: unknown })), "Rejected")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("waits while X does not show the part before it, and goes out once X does", () =>
    Effect.gen(function* () {
      const { injectFault, posts, publish } = yield* x
      yield* injectFault({ kind: "unseen", ms: 5000 })
      const out = yield* publish(["One"])
      const early = yield* Effect.flip(publish(["Two"], out))
      assert.strictEqual(early._tag, "TooEarly")
      assert.include(early.message, unseenWords)
      yield* TestClock.adjust("5 seconds")
      yield* publish(["Two"], out)
      assert.lengthOf(yield* posts, 2)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is refused once the part before it is ten minutes old and X still does not show it", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, publish, sandbox } = yield* x
      const [root = assert.fail("It was published")] = yield* publish(["One"])
      const prepared = yield* prepare("Two", yield* replyTo(root))
      for (const post of yield* posts) yield* sandbox.deletePost(post)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "TooEarly")
      // X's Date has whole seconds.
      yield* TestClock.adjust("2 seconds")
      const late = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.strictEqual(late._tag, "Rejected")
      assert.include(late.message, "was deleted on X, or is not visible there")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["fast by a quarter of an hour", 15],
    ["fast by two hours", 120],
    ["slow by a quarter of an hour", -15]
  ] as const)("waits for the part before it on a process whose clock is %s", ([, minutes]) =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare, publish } = yield* x
      yield* injectFault({ kind: "unseen", ms: 5000 })
      const [root = assert.fail("It was published")] = yield* publish(["One"])
      const prepared = yield* prepare("Two", yield* replyTo(root))
      const sent = withWallClockAhead(minutes * 60_000)(sendPost(adapter, prepared, account))
      assert.strictEqual(yield* outcome(sent), "TooEarly")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* outcome(sent), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["fast", 120],
    ["slow", -120]
  ] as const)("is refused by a process whose clock is %s too, once it is known to be deleted", ([, minutes]) =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, publish, sandbox } = yield* x
      const [root = assert.fail("It was published")] = yield* publish(["One"])
      const prepared = yield* prepare("Two", yield* replyTo(root))
      for (const post of yield* posts) yield* sandbox.deletePost(post)
      yield* TestClock.adjust("601 seconds")
      const sent = withWallClockAhead(minutes * 60_000)(sendPost(adapter, prepared, account))
      assert.strictEqual(yield* outcome(sent), "Rejected")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["its words alone", statusFault(403, { detail: unseenWords })],
    ["its code alone", statusFault(403, { body: JSON.stringify({ errors: [{ code: 385, message: "No." }] }) })]
  ] satisfies Array<[string, Fault]>)("recognizes that X does not show the part before it by %s", ([, fault]) =>
    Effect.gen(function* () {
      const { injectFault, publish } = yield* x
      const out = yield* publish(["One"])
      yield* injectFault(fault)
      assert.strictEqual(yield* outcome(publish(["Two"], out)), "TooEarly")
      yield* injectFault(fault)
      assert.strictEqual(yield* outcome(publish(["Apart"])), "Rejected")
    }).pipe(Effect.provide(world()))
  )

  it.effect("is refused in words for people where X does not let the application reply", () =>
    Effect.gen(function* () {
      const { injectFault, posts, publish } = yield* x
      const out = yield* publish(["One"])
      yield* injectFault({ kind: "no_replies" }, "reply")
      const error = yield* Effect.flip(publish(["Two"], out))
      assert.strictEqual(error._tag, "Rejected")
      assert.match(error.message, /^X does not let this application reply to the part before this one: You can only/)
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("is refused as a duplicate where the account has its text in another thread", () =>
    Effect.gen(function* () {
      const { publish } = yield* x
      yield* publish(["One", "Same"])
      const other = yield* publish(["Another"])
      assert.strictEqual(yield* outcome(publish(["Same"], other)), "DuplicateRefused")
    }).pipe(Effect.provide(world()))
  )
})

/** Two threads of one account, and in each a part with the same text, prepared and not sent. */
const equalThreads = Effect.gen(function* () {
  const setup = yield* x
  const [first = assert.fail(), second = assert.fail()] = [
    ...(yield* setup.publish(["First"])),
    ...(yield* setup.publish(["Second"]))
  ]
  const inFirst = yield* setup.prepare("Same", yield* replyTo(first))
  const inSecond = yield* setup.prepare("Same", yield* replyTo(second))
  const send = (prepared: typeof inFirst) => sendPost(setup.adapter, prepared, setup.account)
  const find = (prepared: typeof inFirst) =>
    Effect.map(setup.adapter.find(prepared, setup.account, start), (found) =>
      Option.getOrNull(Option.map(found, ({ platformPostId }) => platformPostId))
    )
  return { ...setup, inFirst, inSecond, send, find }
})

describe("A look for a part of a thread on X", () => {
  it.effect("finds the part of its own thread, and never that of another one with the same text", () =>
    Effect.gen(function* () {
      const { find, inFirst, inSecond, send } = yield* equalThreads
      const { platformPostId: first } = yield* send(inFirst)
      assert.strictEqual(yield* find(inSecond), null)
      // X takes the text again.
      yield* TestClock.adjust("13 hours")
      const { platformPostId: second } = yield* send(inSecond)
      assert.strictEqual(yield* find(inFirst), first)
      assert.strictEqual(yield* find(inSecond), second)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["that X knows only by their earlier name", { kind: "fields", name: "tweet.fields" }],
    ["that X knows only by their present name", { kind: "fields", name: "post.fields" }]
  ] satisfies Array<[string, Fault]>)("asks for the conversation among the fields %s", ([, fault]) =>
    Effect.gen(function* () {
      const { find, inFirst, inSecond, injectFault, send } = yield* equalThreads
      const { platformPostId: first } = yield* send(inFirst)
      yield* injectFault(fault, "timeline", 4)
      assert.strictEqual(yield* find(inSecond), null)
      assert.strictEqual(yield* find(inFirst), first)
    }).pipe(Effect.provide(world()))
  )

  it.effect("goes by the text alone where X does not say in which conversation a post is", () =>
    Effect.gen(function* () {
      const { find, inFirst, injectFault, send } = yield* equalThreads
      const { platformPostId: first } = yield* send(inFirst)
      yield* injectFault({ kind: "nulls" }, "timeline")
      assert.strictEqual(yield* find(inFirst), first)
    }).pipe(Effect.provide(world()))
  )

  it.effect("does not change for a post of its own, which may be found in any conversation", () =>
    Effect.gen(function* () {
      const { find, inFirst, prepare, send } = yield* equalThreads
      const { platformPostId } = yield* send(inFirst)
      assert.strictEqual(yield* find(yield* prepare("Same", null)), platformPostId)
    }).pipe(Effect.provide(world()))
  )

  it.effect("leaves what another target with its text may have sent to a person", () =>
    Effect.gen(function* () {
      const { account, adapter, inFirst, send } = yield* equalThreads
      yield* send(inFirst)
      const others = { ...account.others, unresolved: () => Effect.succeed(["Same"]) }
      assert.strictEqual(yield* outcome(adapter.find(inFirst, { ...account, others }, start)), "OutcomeUnknown")
    }).pipe(Effect.provide(world()))
  )
})

/** X as it responds with one timeline to all, and the requests that it gets. */
const scripted = (timeline: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    (request) => {
      requests.push(request)
      return Effect.succeed(
        request.method === "POST"
          ? { status: 201, headers: Headers.empty, body: JSON.stringify({ data: { id: "7" } }) }
          : { status: 200, headers: Headers.empty, body: JSON.stringify({ data: timeline }) }
      )
    }
  )
  const account: Account = {
    integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
    accountId: "1",
    username: "Acme_Inc",
    serviceUrl: null,
    credentials: {
      current: Effect.succeed(encodeTokens({ accessToken: "token", refreshToken: null })),
      refresh: () => Effect.die("Unexpected renewal")
    },
    files: noFiles,
    others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) }
  }
  const reply: Reply = {
    root: { platformPostId: "40", cid: null },
    parent: { platformPostId: "41", cid: null },
    parentAt: start
  }
  const prepare = (text: string, more: Partial<PublishRequest> = {}) =>
    adapter.prepare({ targetId, text, settings: {}, reply, ...more }, account)
  /** The id of what is found; null where nothing is, "unknown" where that can't be told. */
  const look = Effect.fnUntraced(function* (text: string, more: Partial<PublishRequest> = {}) {
    const found = adapter.find(yield* prepare(text, more), account, start)
    return yield* Effect.match(found, {
      onFailure: ({ _tag }) => _tag,
      onSuccess: (post) => Option.getOrNull(Option.map(post, ({ platformPostId }) => platformPostId))
    })
  })
  const bodies = () =>
    requests.flatMap(({ body }) =>
      body._tag === "Uint8Array" ? [JSON.parse(new TextDecoder().decode(body.body))] : []
    )
  return { account, adapter, prepare, look, requests, bodies }
}

const shown = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "50",
  text,
  created_at: DateTime.formatIso(start),
  conversation_id: "40",
  ...more
})

const uploads = {
  _tag: "TwitterUploads",
  version: 1,
  accountId: "1",
  media: [{ id: "900", key: "3_900" }],
  expiresAt: "2030-02-01T12:00:00.000Z",
  marginSeconds: 300
}

describe("What X is asked for a part of a thread", () => {
  const atStart = TestClock.setTime(DateTime.toEpochMillis(start))

  it.effect("names the post that it replies to, and nothing else of its thread", () =>
    Effect.gen(function* () {
      yield* atStart
      const { account, adapter, bodies, prepare } = scripted([])
      yield* sendPost(adapter, yield* prepare("Two", { uploads, part: 2 }), account)
      yield* sendPost(adapter, yield* prepare("Apart", { reply: null }), account)
      assert.deepStrictEqual(bodies(), [
        { text: "Two", reply: { in_reply_to_tweet_id: "41" }, media: { media_ids: ["900"] } },
        { text: "Apart" }
      ])
    })
  )

  it.effect("has the conversation among its fields, which a look for a post of its own does not", () =>
    Effect.gen(function* () {
      yield* atStart
      const { look, requests } = scripted([])
      const fields = () => requests.at(-1)?.urlParams.params.find(([name]) => name === "post.fields")?.[1]
      yield* look("Two")
      assert.strictEqual(fields(), "created_at,entities,note_post,conversation_id")
      yield* look("Two", { uploads })
      assert.strictEqual(fields(), "created_at,entities,note_post,attachments,conversation_id")
      yield* look("Two", { reply: null })
      assert.strictEqual(fields(), "created_at,entities,note_post")
    })
  )

  it.effect.each([
    ["its text", "Two", "Two", "50"],
    ["its text behind the account's own name", "@Acme_Inc Two", "Two", "50"],
    ["its text behind the account's name in other letters", "@acme_inc Two", "Two", "50"],
    ["a text that begins with the account's own name", "@Acme_Inc Two", "@Acme_Inc Two", "50"],
    ["its text behind another account's name", "@other Two", "Two", null],
    ["its text behind a name that begins as the account's", "@Acme_Inc2 Two", "Two", null],
    ["another text behind the account's own name", "@Acme_Inc Three", "Two", null]
  ] satisfies Array<[string, string, string, string | null]>)(
    "recognizes %s, or does not take it",
    ([, onTimeline, text, expected]) =>
      Effect.gen(function* () {
        yield* atStart
        assert.strictEqual(yield* scripted([shown(onTimeline)]).look(text), expected)
      })
  )

  it.effect("A post of its own is not recognized behind the account's name", () =>
    Effect.gen(function* () {
      yield* atStart
      assert.strictEqual(yield* scripted([shown("@Acme_Inc Two")]).look("Two", { reply: null }), null)
    })
  )

  it.effect.each([
    ["the conversation", shown("Two"), "50"],
    ["another conversation", shown("Two", { conversation_id: "39" }), null],
    ["null as the conversation", shown("Two", { conversation_id: null }), "50"],
    ["no conversation", { id: "50", text: "Two", created_at: DateTime.formatIso(start) }, "50"]
  ] satisfies Array<[string, Readonly<Record<string, unknown>>, string | null]>)(
    "A reply that is shown with %s is taken only where it may be the part",
    ([, post, expected]) =>
      Effect.gen(function* () {
        yield* atStart
        assert.strictEqual(yield* scripted([post]).look("Two"), expected)
      })
  )

  it.effect.each([
    ["its own files", { media_keys: ["3_900"] }, "39", "50"],
    ["other files, in its conversation", { media_keys: ["3_901"] }, "40", "OutcomeUnknown"],
    ["other files, in another conversation", { media_keys: ["3_901"] }, "39", null]
  ] satisfies Array<[string, unknown, string, string | null]>)(
    "A reply with %s is told from another one",
    ([, attachments, conversation_id, expected]) =>
      Effect.gen(function* () {
        yield* atStart
        const post = shown("Two", { attachments, conversation_id })
        assert.strictEqual(yield* scripted([post]).look("Two", { uploads }), expected)
      })
  )

  it.effect("Posts behind the account's own name are not listed as unknown where an open target has their text", () =>
    Effect.gen(function* () {
      yield* atStart
      const { account, adapter } = scripted([shown("@Acme_Inc Two"), shown("Three", { id: "51" })])
      const others = { ...account.others, unresolved: () => Effect.succeed(["Two"]) }
      const read = adapter.unmatched ?? assert.fail("X's timeline can be read")
      const { posts } = yield* read({ ...account, others }, start, DateTime.add(start, { minutes: 1 }))
      assert.deepStrictEqual(
        posts.map(({ id }) => id),
        ["51"]
      )
    })
  )
})
