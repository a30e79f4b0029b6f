import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { linkBluesky } from "./link.ts"
import { decodeSession } from "../../../src/platforms/bluesky/session.ts"
import type { Cut } from "../cuttingRelay.ts"
import { makePds, Pds, expired } from "../../support/pds/pds.ts"
import {
  changeTokens,
  preparedKey,
  makeMember,
  member,
  nextTarget,
  pdsWorld,
  putRecord,
  refreshSession,
  resolveHandle
} from "./pdsWorld.ts"
import { outcome, start } from "../world.ts"

const postCollection = "app.bsky.feed.post"
const prepareTime = Effect.as(TestClock.setTime(DateTime.toEpochMillis(start)), start)

layer(pdsWorld())("BlueskyAdapter on a real PDS", (it) => {
  describe("while it works", () => {
    it.effect("A record reads back as it was written, and the publication says where it is", () =>
      Effect.gen(function* () {
        const now = yield* prepareTime
        const { person, posts, publish } = yield* member
        const publication = yield* publish(
          `Good morning @${person.handle}: https://example.com/a/rather/long/path #news`
        )
        const [post] = yield* posts
        assert.strictEqual(publication.platformPostId, post?.uri)
        assert.strictEqual(
          publication.url,
          `https://bsky.app/profile/${person.did}/post/${post?.uri.split("/").at(-1)}`
        )
        assert.deepStrictEqual(Object.keys(post?.value ?? {}).toSorted(), ["$type", "createdAt", "facets", "text"])
        assert.strictEqual(post?.value.text, "Good morning @grace.test: example.com/a/rather/lon... #news")
        assert.strictEqual(post?.value.createdAt, DateTime.formatIso(now))
        const facet = (byteStart: number, byteEnd: number, feature: { readonly $type: string }) => ({
          $type: "app.bsky.richtext.facet" as const,
          index: { byteStart, byteEnd },
          features: [feature]
        })
        const mention = { $type: "app.bsky.richtext.facet#mention", did: person.did }
        const link = { $type: "app.bsky.richtext.facet#link", uri: "https://example.com/a/rather/long/path" }
        const tag = { $type: "app.bsky.richtext.facet#tag", tag: "news" }
        assert.deepEqual(post?.value.facets, [facet(13, 24, mention), facet(26, 53, link), facet(54, 59, tag)])
      })
    )

    it.effect("A trial deletes the post that it names, and no other one", () =>
      Effect.gen(function* () {
        const { account, posts, publish, trial } = yield* member
        const kept = yield* publish("Kept")
        const tried = yield* publish("Tried")
        assert.isTrue(yield* trial.remove(tried, account))
        assert.deepStrictEqual(
          (yield* posts).map(({ uri }) => uri),
          [kept.platformPostId]
        )
        assert.isFalse(yield* trial.remove({ ...kept, platformPostId: null }, account))
      })
    )

    it.effect("Concurrent sends of one prepared post create one record", () =>
      Effect.gen(function* () {
        const { account, adapter, posts, prepare, relay } = yield* member
        const prepared = yield* prepare("Once")
        const publications = yield* Effect.all(
          Array.from({ length: 8 }, () => sendPost(adapter, prepared, account)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(new Set(publications.map(({ platformPostId }) => platformPostId)), 1)
        assert.lengthOf(yield* posts, 1)
        const commits = (yield* relay.passed).filter(
          ({ response, method }) => method === putRecord && response?.body.includes('"commit"')
        )
        assert.lengthOf(commits, 1)
      })
    )

    it.effect("A different record that has the key already is left as it is", () =>
      Effect.gen(function* () {
        const { account, adapter, person, posts, prepare } = yield* member
        const prepared = yield* prepare("Mine")
        const record = { $type: postCollection, text: "Another's", createdAt: DateTime.formatIso(start) }
        const at = { repo: person.did, collection: postCollection, rkey: preparedKey(prepared) }
        yield* Effect.promise(() => person.agent.com.atproto.repo.putRecord({ ...at, record }))
        const refused = yield* Effect.flip(sendPost(adapter, prepared, account))
        assert.strictEqual(refused._tag, "Rejected")
        assert.include(refused.message, "it was left as it is")
        assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "Rejected")
        assert.deepStrictEqual(
          (yield* posts).map(({ value }) => value.text),
          ["Another's"]
        )
      })
    )
  })

  describe("more than an hour after a send", () => {
    const longAgo = DateTime.subtractDuration(start, "61 minutes")

    it.effect.each([
      ["before the server", 0],
      ["before the response", 1]
    ] satisfies Array<[Cut, number]>)("A send that was cut %s is looked up, and not sent again", ([cut, already]) =>
      Effect.gen(function* () {
        yield* prepareTime
        const { account, adapter, posts, prepare, relay } = yield* member
        const prepared = yield* prepare(`Cut ${cut} long ago`)
        yield* relay.cutNext(putRecord, cut)
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
        const expected = already === 1 ? "success" : "OutcomeUnknown"
        assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, longAgo)), expected)
        assert.lengthOf(yield* posts, already)
        assert.lengthOf(
          (yield* relay.passed).filter(({ method }) => method === putRecord),
          1
        )
      })
    )

    it.effect("A post that its owner has deleted does not come back", () =>
      Effect.gen(function* () {
        yield* prepareTime
        const { account, adapter, person, posts, prepare } = yield* member
        const prepared = yield* prepare("Deleted again")
        const { platformPostId } = yield* sendPost(adapter, prepared, account)
        yield* Effect.promise(() => person.agent.deletePost(platformPostId ?? ""))
        const error = yield* Effect.flip(adapter.reconcile(prepared, account, longAgo))
        assert.isTrue(error._tag === "OutcomeUnknown" && error.conclusive)
        assert.lengthOf(yield* posts, 0)
      })
    )

    it.effect("A post that is prepared again, as after a restore, is recognized by its key and text", () =>
      Effect.gen(function* () {
        yield* prepareTime
        const { account, adapter, posts, prepareAs } = yield* member
        const target = nextTarget()
        const first = yield* sendPost(adapter, yield* prepareAs(target, "Once, whatever is restored"), account)
        yield* TestClock.adjust("1 minute")
        const again = yield* prepareAs(target, "Once, whatever is restored")
        assert.deepStrictEqual(yield* adapter.find(again, account, longAgo), Option.some(first))
        assert.deepStrictEqual(yield* sendPost(adapter, again, account), first)
        assert.lengthOf(yield* posts, 1)
      })
    )
  })

  describe("over connections that are cut off", () => {
    it.effect.each([
      ["before the server", 0],
      ["within the request", 0],
      ["before the response", 1],
      ["within the response", 1],
      ["by a gateway", 1],
      ["while delayed", 0]
    ] satisfies Array<[Cut, number]>)(
      "A cut %s leaves the outcome unknown, and repeating the request leaves exactly one post",
      ([cut, already]) =>
        Effect.gen(function* () {
          const { account, adapter, posts, prepare, relay } = yield* member
          const prepared = yield* prepare(`Cut ${cut}`)
          yield* relay.cutNext(putRecord, cut)
          assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
          assert.lengthOf(yield* posts, already)
          const found = yield* adapter.reconcile(prepared, account, start)
          const [post, ...more] = yield* posts
          assert.strictEqual(found.platformPostId, post?.uri)
          assert.lengthOf(more, 0)
          const late = yield* relay.deliverDelayed
          assert.deepStrictEqual(late, cut === "while delayed" ? [200] : [])
          assert.lengthOf(yield* posts, 1)
        })
    )

    it.effect.each(["before the server", "before the response", "within the response"] as const)(
      "If a mention's lookup is cut %s, the next attempt prepares the post again, with its mention",
      (cut) =>
        Effect.gen(function* () {
          const { person, posts, publish, relay } = yield* member
          const text = `Hello @${person.handle}`
          yield* relay.cutNext(resolveHandle, cut)
          assert.strictEqual(yield* outcome(publish(text)), "Unavailable")
          yield* publish(text)
          const [post, ...more] = yield* posts
          assert.lengthOf(post?.value.facets ?? [], 1)
          assert.lengthOf(more, 0)
        })
    )

    it.effect(
      "If the prepared post can't be decoded, reconciling leaves the outcome unknown and publishing is rejected",
      () =>
        Effect.gen(function* () {
          const { account, adapter, posts } = yield* member
          assert.strictEqual(yield* outcome(adapter.reconcile({}, account, start)), "OutcomeUnknown")
          assert.strictEqual(yield* outcome(sendPost(adapter, {}, account)), "Rejected")
          assert.lengthOf(yield* posts, 0)
        })
    )

    it.effect("The outcome stays unknown while every request is cut off", () =>
      Effect.gen(function* () {
        const { account, adapter, posts, prepare, relay } = yield* member
        const prepared = yield* prepare("Cut again and again")
        yield* relay.rule((method) => (method === putRecord ? "within the response" : undefined))
        for (let attempts = 0; attempts < 3; attempts++) {
          assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
        }
        assert.lengthOf(yield* posts, 1)
      })
    )
  })

  describe("while the PDS is stopped", () => {
    it.effect("A PDS that stops during a send leaves the outcome unknown, and has the post once it is back", () =>
      Effect.gen(function* () {
        const { account, adapter, pds, posts, prepare, relay } = yield* member
        const prepared = yield* prepare("On its way")
        const held = yield* relay.hold(putRecord)
        const publishing = yield* Effect.forkChild(outcome(sendPost(adapter, prepared, account)))
        yield* held.arrived
        yield* pds.stop
        yield* held.letGo
        assert.strictEqual(yield* Fiber.join(publishing), "OutcomeUnknown")
        assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
        yield* pds.start
        yield* adapter.reconcile(prepared, account, start)
        assert.lengthOf(yield* posts, 1)
      })
    )

    it.effect("A PDS that can't be reached is unavailable, and nothing was sent", () =>
      Effect.gen(function* () {
        const { account, adapter, pds, posts, prepare } = yield* member
        const direct = { ...account, serviceUrl: pds.url }
        const prepared = yield* prepare("Not reached")
        yield* pds.stop
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, direct)), "Unavailable")
        assert.strictEqual(yield* outcome(adapter.reconcile(prepared, direct, start)), "OutcomeUnknown")
        yield* pds.start
        assert.lengthOf(yield* posts, 0)
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, direct)), "success")
        assert.lengthOf(yield* posts, 1)
      })
    )

    it.effect("If the PDS stops while it handles a post, reconciliation leaves exactly one", () =>
      Effect.gen(function* () {
        const { account, adapter, pds, posts, prepare } = yield* member
        const direct = { ...account, serviceUrl: pds.url }
        for (let round = 1; round <= 10; round++) {
          const prepared = yield* prepare(`Round ${round}`)
          const [result] = yield* Effect.all([outcome(sendPost(adapter, prepared, direct)), pds.stop], {
            concurrency: "unbounded"
          })
          assert.include(["success", "OutcomeUnknown", "Unavailable"], result)
          yield* pds.start
          yield* adapter.reconcile(prepared, direct, start)
          assert.lengthOf(yield* posts, round)
        }
      })
    )
  })
})

layer(pdsWorld({ handleDomain: ".one.test", didDocuments: true }))("An account on another PDS", (it) => {
  it.effect("The account is mentioned by its handle, which the first PDS resolves elsewhere", () =>
    Effect.gen(function* () {
      const near = yield* makePds({ handleDomain: ".two.test", neighbor: yield* Pds })
      const { person: friend } = yield* member
      const { posts, publish } = yield* makeMember(near, "ann")
      yield* publish(`Hello @${friend.handle}, and whoever is @nobody.one.test`)
      const dids = (yield* posts)[0]?.value.facets?.flatMap(({ features }) => features)
      assert.deepEqual(dids, [{ $type: "app.bsky.richtext.facet#mention", did: friend.did }])
    })
  )

  it.effect(
    "The account can't be linked through a service that does not know it, and is published to on its own PDS",
    () =>
      Effect.gen(function* () {
        const first = yield* Pds
        const elsewhere = yield* makePds({ handleDomain: ".two.test", neighbor: first })
        const { person, publish, posts } = yield* makeMember(elsewhere, "ann")
        const login = { identifier: person.handle, password: person.appPassword }
        assert.strictEqual(yield* outcome(linkBluesky({ ...login, service: first.url })), "LinkRefused")
        yield* publish("From where I am")
        assert.lengthOf(yield* posts, 1)
      })
  )

  it.effect("The account is published to directly, and its sessions are renewed at the service that created them", () =>
    Effect.gen(function* () {
      const { pds, posts, publish, relay, stored } = yield* member
      assert.strictEqual((yield* decodeSession(yield* Ref.get(stored))).pdsUrl, pds.url)
      yield* publish("To the PDS itself")
      yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
      yield* publish("To the PDS itself again")
      assert.strictEqual((yield* decodeSession(yield* Ref.get(stored))).pdsUrl, pds.url)
      assert.deepStrictEqual(
        (yield* relay.passed).map(({ response, method }) => [method, response?.status]),
        [[refreshSession, 200]]
      )
      assert.lengthOf(yield* posts, 2)
    })
  )
})
