import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import { image } from "../../support/mediaChecks.ts"
import { outcome, start, statusFault, targetId, world } from "../world.ts"
import { containerAccount } from "../meta/world.ts"

const threadsAccount = containerAccount("threads")

const meta = (status: number, error: string) => statusFault(status, { error, when: "after_commit" })

describe("A post on Threads", () => {
  it.effect("A container is made, and published once Threads has finished it; the post has its address", () =>
    Effect.gen(function* () {
      const { adapter, account, posts, prepare, publications, send } = yield* threadsAccount
      const early = yield* Effect.flip(adapter.prepare({ targetId, text: "Hello", settings: {} }, account))
      assert.strictEqual(early._tag, "Preparing")
      assert.lengthOf(yield* posts, 0)
      const { addressFollows, cid, platformPostId, url } = yield* send(yield* prepare())
      const [post] = yield* posts
      assert.deepStrictEqual(
        [platformPostId, url, addressFollows],
        [post?.id, `https://posts.example/sandbox/threads/@acme/post/${post?.id}`, undefined]
      )
      assert.match(cid ?? "", /^18\d{15}$/)
      assert.deepStrictEqual(yield* publications, [1])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A thread is a chain of replies, and its parts are listed among the replies", () =>
    Effect.gen(function* () {
      const { adapter, account, posts, prepare, send } = yield* threadsAccount
      const first = yield* send(yield* prepare())
      const root = { platformPostId: first.platformPostId ?? "", cid: first.cid ?? null }
      const reply = { root, parent: root, parentAt: yield* DateTime.now }
      const second = yield* send(yield* prepare({ part: 2, text: "Second", reply }))
      // A post that a person named by its address has no id of Threads.
      const named = { platformPostId: second.platformPostId ?? "", cid: null }
      yield* TestClock.adjust("10 seconds")
      const last = yield* prepare({ part: 3, text: "Third", reply: { ...reply, parent: named } })
      yield* send(last)
      // Somebody names the post a day after it was published, and the service knows only that day.
      yield* TestClock.adjust("1 day")
      const told = { root, parent: named, parentAt: yield* DateTime.now }
      yield* send(yield* prepare({ part: 3, text: "Told late", reply: told }))
      const shown = (yield* posts).toReversed().map(({ reply: shownReply, text }) => [text, shownReply?.parent])
      assert.deepStrictEqual(shown, [
        ["Hello", undefined],
        ["Second", first.cid ?? undefined],
        ["Third", second.cid ?? undefined],
        ["Told late", second.cid ?? undefined]
      ])
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Option.isSome(yield* adapter.findAddress?.(last, account, start) ?? Effect.succeedNone))
    }).pipe(Effect.provide(world()))
  )

  it.effect("Its settings are sent as Threads names them", () =>
    Effect.gen(function* () {
      const { posts, prepare, send } = yield* threadsAccount
      yield* send(yield* prepare({ settings: { threads: { reply_control: "followers_only", topic_tag: "tea" } } }))
      assert.deepStrictEqual(
        (yield* posts).map(({ replySettings }) => replySettings),
        ["followers_only"]
      )
      assert.strictEqual(yield* outcome(prepare({ settings: { threads: { topic_tag: "a.b" } } })), "Rejected")
    }).pipe(Effect.provide(world()))
  )

  it.effect("500 bytes are accepted, and 504 bytes of 498 characters are refused before anything is made", () =>
    Effect.gen(function* () {
      const { prepare } = yield* threadsAccount
      const curly = `${"a".repeat(495)}’’’`
      assert.strictEqual(Array.from(curly).length, 498)
      assert.strictEqual(yield* outcome(prepare({ text: curly })), "Rejected")
      assert.strictEqual(yield* outcome(prepare({ text: "é".repeat(250) })), "success")
    }).pipe(Effect.provide(world()))
  )
})

describe("An unknown outcome on Threads", () => {
  it.effect.each(["no permission", "restricted", "unknown error"])(
    "A post is out although Threads answered “%s”: its container says so, and it is not published again",
    (error) =>
      Effect.gen(function* () {
        const { injectFault, prepare, publications, send } = yield* threadsAccount
        const prepared = yield* prepare()
        yield* injectFault(meta(error === "restricted" ? 400 : 500, error))
        const { addressFollows, platformPostId } = yield* send(prepared)
        assert.deepStrictEqual([addressFollows, platformPostId], [true, null])
        // A second send of the same container reads its state.
        assert.strictEqual(yield* outcome(send(prepared)), "success")
        assert.deepStrictEqual(yield* publications, [1])
      }).pipe(Effect.provide(world()))
  )

  it.effect("The address of a post that Threads did not name is found once Threads lists it", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, send } = yield* threadsAccount
      const prepared = yield* prepare({ text: "  A #topic " })
      yield* injectFault(meta(500, "no permission"))
      yield* send(prepared)
      const { findAddress = () => Effect.die("Nobody finds it") } = adapter
      assert.isTrue(Option.isNone(yield* findAddress(prepared, account, start)))
      yield* TestClock.adjust("10 seconds")
      const found = Option.getOrThrow(yield* findAddress(prepared, account, start))
      assert.strictEqual(found.platformPostId, (yield* posts)[0]?.id)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Of two posts with one text neither is taken for the other", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare, send } = yield* threadsAccount
      yield* send(yield* prepare())
      const prepared = yield* prepare()
      yield* injectFault(meta(500, "no permission"))
      yield* send(prepared)
      yield* TestClock.adjust("10 seconds")
      const { platformPostId } = yield* adapter.reconcile(prepared, account, start)
      assert.isNull(platformPostId)
    }).pipe(Effect.provide(world()))
  )

  it.effect(
    "A container that was not published is asked for until it ends after a day, and never published again",
    () =>
      Effect.gen(function* () {
        const { account, adapter, injectFault, prepare, publications, send } = yield* threadsAccount
        const prepared = yield* prepare()
        const sentAt = yield* DateTime.now
        yield* injectFault({ kind: "reset", when: "before_commit" })
        assert.strictEqual(yield* outcome(send(prepared)), "OutcomeUnknown")
        const reconciled = outcome(adapter.reconcile(prepared, account, sentAt))
        const found = Effect.result(adapter.find(prepared, account, sentAt))
        assert.strictEqual(yield* reconciled, "OutcomeUnknown")
        assert.strictEqual((yield* found)._tag, "Failure")
        yield* TestClock.adjust("20 minutes")
        assert.strictEqual(yield* reconciled, "OutcomeUnknown")
        yield* TestClock.adjust("23 hours")
        assert.strictEqual(yield* reconciled, "OutcomeUnknown")
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* reconciled, "Dropped")
        assert.strictEqual(yield* outcome(send(prepared)), "UploadsGone")
        assert.deepStrictEqual(yield* publications, [])
      }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["is down", meta(503, "unknown error")],
    ["limits the calls", meta(429, "too many requests")],
    ["is hidden by a gateway", { kind: "front", status: 502 }],
    ["does not find the container", meta(400, "not visible")],
    ["answers nothing", { kind: "reset", when: "before_commit" }]
  ] as const)("While Threads %s, the outcome stays open for a day, and no look uses up an attempt", ([, fault]) =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare, send } = yield* threadsAccount
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* injectFault({ kind: "reset", when: "before_commit" })
      assert.deepStrictEqual((yield* Effect.flip(send(prepared)))._tag, "OutcomeUnknown")
      yield* injectFault(fault, "any", 100)
      const pause = Effect.map(Effect.flip(adapter.reconcile(prepared, account, sentAt)), (error) =>
        error._tag === "OutcomeUnknown" && error.askAfter !== undefined ? Duration.toMinutes(error.askAfter) : null
      )
      const pauses: Array<number | null> = []
      for (const wait of ["15 seconds", "1 minute", "4 minutes", "15 minutes", "20 hours"] as const) {
        yield* TestClock.adjust(wait)
        pauses.push(yield* pause)
      }
      const longest = fault.kind === "status" && fault.error === "too many requests" ? [30, 30, 30, 30, 30] : undefined
      assert.deepStrictEqual(pauses, longest ?? [1, 4, 15, 15, 15])
      // For hours after the container's end too, because one answer that it is not found proves nothing.
      yield* TestClock.adjust("7 hours")
      assert.isNotNull(yield* pause)
      yield* TestClock.adjust("1 hour")
      assert.isNull(yield* pause)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A fresh container that Threads does not find is tried again, and after minutes another is made", () =>
    Effect.gen(function* () {
      const { injectFault, prepare, publications, send } = yield* threadsAccount
      const prepared = yield* prepare()
      yield* injectFault({ kind: "forgotten_files" }, "publish", 2)
      assert.strictEqual(yield* outcome(send(prepared)), "TooEarly")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* outcome(send(prepared)), "UploadsGone")
      assert.strictEqual(yield* outcome(send(yield* prepare())), "success")
      assert.deepStrictEqual(yield* publications, [1])
    }).pipe(Effect.provide(world()))
  )
})

const picture = { ...image, contentType: "image/png", hash: "a", alt: "A cat" }

describe("Files on Threads", () => {
  it.effect("A picture is fetched for its container under a link, which ends when the container is finished", () =>
    Effect.gen(function* () {
      const { account, adapter, ended, injectFault, prepare, shared } = yield* threadsAccount
      const { upload = () => Effect.die("Threads takes no files") } = adapter
      const progress = yield* upload([picture], account, null)
      const uploads = progress._tag === "Uploaded" ? progress.uploads : assert.fail("It is not uploaded")
      assert.deepStrictEqual(yield* Ref.get(shared), [])
      // Nothing is at posts.example, so Threads fetches nothing.
      assert.strictEqual(yield* outcome(prepare({ uploads })), "Unavailable")
      const [link] = yield* Ref.get(shared)
      assert.deepStrictEqual([link?.hash, link?.contentType], ["a", "image/png"])
      assert.deepStrictEqual(yield* Ref.get(ended), ["link-0"])
      yield* injectFault(statusFault(400, { error: "no such error" }), "upload")
      assert.strictEqual(yield* outcome(prepare({ uploads, text: "" })), "Unavailable")
    }).pipe(Effect.provide(world()))
  )
})

describe("Access to Threads", () => {
  it.effect("A token is renewed from its second day on, and kept as it is before", () =>
    Effect.gen(function* () {
      const { account, adapter, stored } = yield* threadsAccount
      const renew = Effect.flatMap(Ref.get(stored), (stale) => adapter.renew(account, stale))
      const first = yield* renew
      const kept = Redacted.value(yield* Ref.get(stored))
      assert.strictEqual(Redacted.value(first.credentials), kept)
      yield* TestClock.adjust("25 hours")
      const second = yield* renew
      assert.notStrictEqual(Redacted.value(second.credentials), kept)
      yield* TestClock.adjust("61 days")
      assert.strictEqual(yield* outcome(renew), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
