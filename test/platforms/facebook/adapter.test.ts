import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Accepted, Dropped, RateLimited } from "../../../src/domain/publishing/platformError.ts"
import type { Call } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { facebook } from "../../../src/platforms/facebook/live.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { carryOutEveryWay } from "../contract/carriedOut.ts"
import { accessOf, accountOf, adapterOf, now, prepare, respond } from "../contract/conformance.ts"
import { walk } from "../contract/walk.ts"
import { outcome, statusFault, targetId } from "../world.ts"
import { facebookConformance, formOf, problem, reelConformance } from "./conformance.ts"
import { pageWorld, picture, video } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const { isPost } = facebookConformance

describe("A post on a Page", () => {
  it.effect("It is made unpublished, and then published under the id that was stored", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, prepare, requests } = yield* pageWorld()
      const prepared = yield* prepare({ text: "Read https://example.com/release" })
      const created = requests.at(-1)
      assert.deepStrictEqual(created && Object.fromEntries(formOf(created)), {
        published: "false",
        message: "Read https://example.com/release",
        link: "https://example.com/release"
      })
      assert.strictEqual(yield* accepted, 0)
      const { platformPostId, url } = yield* sendPost(adapter, prepared, account)
      assert.isTrue(platformPostId?.startsWith(`${account.accountId}_`))
      assert.isTrue(url?.endsWith(`/${platformPostId}`))
      assert.strictEqual(yield* accepted, 1)
      assert.isTrue(requests.every(({ url: asked }) => !asked.includes("token=")))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A link of which Facebook can make no card stays in the text", () =>
    Effect.gen(function* () {
      const { fail, publish, requests } = yield* pageWorld()
      yield* fail(statusFault(400, { error: "bad link" }), "any", 1)
      assert.strictEqual(yield* outcome(publish({ text: "Read https://example.com/release" })), "success")
      assert.deepStrictEqual(
        requests.filter(({ url }) => url.endsWith("/feed")).map((request) => formOf(request).has("link")),
        [true, false]
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Its photos are uploaded as bytes with their alternative texts, and attached in their order", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, requests, uploadsOf } = yield* pageWorld()
      const uploads = yield* uploadsOf([picture, { ...picture, alt: "" }])
      const prepared = yield* prepare({ text: "", uploads })
      const since = yield* DateTime.now
      const { platformPostId } = yield* sendPost(adapter, prepared, account)
      const alts = requests.flatMap(({ body }) =>
        body._tag === "FormData" ? [[body.formData.get("alt_text_custom"), body.formData.get("published")]] : []
      )
      assert.deepStrictEqual(alts, [
        ["A drop", "false"],
        [null, "false"]
      ])
      // A look that knows no id recognizes the post by its photos.
      yield* TestClock.adjust("6 minutes")
      const sought = yield* prepare({ text: "", uploads, isSought: true })
      const found = Option.getOrThrow(yield* adapter.find(sought, account, since))
      assert.deepStrictEqual([found.platformPostId, found.recognized], [platformPostId, true])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A photo that Facebook does not find any more is uploaded again", () =>
    Effect.gen(function* () {
      const { fail, prepare, uploadsOf } = yield* pageWorld()
      const uploads = yield* uploadsOf([picture])
      yield* fail({ kind: "forgotten_files" }, "any", 1)
      assert.strictEqual(yield* outcome(prepare({ uploads })), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After an error that came although the post was out, its own state says so", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests } = yield* pageWorld()
      const prepared = yield* prepare()
      yield* fail(statusFault(500, { when: "after_commit" }), "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.strictEqual(requests.filter(isPost).length, 1)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer it is published again under its id, which makes no second post", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests } = yield* pageWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      // The repetition is carried out too, and its answer is lost again.
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      const { platformPostId } = yield* adapter.reconcile(prepared, account, sentAt)
      assert.strictEqual((yield* sendPost(adapter, prepared, account)).platformPostId, platformPostId)
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [3, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An hour after a send it is made visible no more, and soon certainly is not out", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests } = yield* pageWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      yield* outcome(sendPost(adapter, prepared, account))
      yield* TestClock.adjust("1 hour")
      const before = requests.filter(isPost).length
      // The last repetition may have been sent a moment ago, and may still be carried out.
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
      yield* TestClock.adjust("10 minutes")
      assert.isTrue((yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))) instanceof Dropped)
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [before, 0])
      // A person can publish it again.
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    ["is down", statusFault(503)],
    ["limits the calls", statusFault(429)],
    ["is hidden by a gateway", { kind: "front", status: 502 }],
    ["does not find the post", statusFault(404)],
    ["answers nothing", { kind: "reset", when: "before_commit" }]
  ] as const)("While Facebook %s, the outcome stays open for a day, and no look uses up an attempt", ([, fault]) =>
    Effect.gen(function* () {
      const { account, adapter, fail, prepare } = yield* pageWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail(fault, "any", 100)
      const isOpen = Effect.map(
        Effect.flip(adapter.reconcile(prepared, account, sentAt)),
        (error) => error._tag === "OutcomeUnknown" && error.askAfter !== undefined
      )
      for (const wait of ["15 seconds", "1 minute", "1 hour", "10 minutes", "20 hours"] as const) {
        yield* TestClock.adjust(wait)
        assert.isTrue(yield* isOpen)
      }
      yield* TestClock.adjust("4 hours")
      assert.isFalse(yield* isOpen)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A repetition that Facebook refuses as a duplicate decides nothing while an earlier one may come", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, prepare } = yield* pageWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* TestClock.adjust("6 minutes")
      yield* fail(statusFault(409), "publish", 1)
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Facebook's random blindness to a post decides nothing", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare } = yield* pageWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      yield* fail(statusFault(404), "any", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      yield* fail(statusFault(404), "any", 2)
      assert.strictEqual(yield* outcome(adapter.find(prepared, account, sentAt)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "success")
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A new post that Facebook does not find yet is tried again, and an old one is made again", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, prepare } = yield* pageWorld()
      const prepared = yield* prepare()
      yield* fail(statusFault(404), "publish", 2)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "TooEarly")
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A repeated text is refused as a duplicate, and nothing is published", () =>
    Effect.gen(function* () {
      const { accepted, publish } = yield* pageWorld()
      assert.strictEqual(yield* outcome(publish()), "success")
      assert.strictEqual(yield* outcome(publish()), "DuplicateRefused")
      assert.strictEqual(yield* accepted, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* outcome(publish()), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    { error: "blocked", expected: "NeedsReauthorization", says: "open Facebook" },
    { error: "role lost", expected: "NeedsReauthorization", says: "has no role" },
    { error: "no permission", expected: "NeedsReauthorization", says: "allow everything" },
    { error: "unused", expected: "NeedsReauthorization", says: "allow everything" },
    { error: "too many requests", expected: "RateLimited", says: "accepts no more requests" }
  ])("$error is $expected, and certainly nothing is out", ({ error, expected, says }) =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare } = yield* pageWorld()
      const prepared = yield* prepare()
      yield* fail(statusFault(400, { error }), "publish", 2)
      const failure = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.strictEqual(failure._tag, expected)
      if (error !== "role lost") assert.include(failure.message, says)
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A part of a thread is refused", () =>
    Effect.gen(function* () {
      const { prepare, requests } = yield* pageWorld()
      const first = { platformPostId: "1_2", cid: null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      assert.strictEqual(yield* outcome(prepare({ reply, part: 2 })), "Rejected")
      assert.lengthOf(requests, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The list of posts lags and is not sorted, and other targets' posts are passed over", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, publish } = yield* pageWorld()
      const since = yield* DateTime.now
      const ids: Array<string | null> = []
      for (const text of ["One", "Two", "Three", "Four"]) ids.push((yield* publish({ text })).platformPostId)
      const sought = yield* prepare({ text: "Three", isSought: true })
      assert.strictEqual(yield* outcome(adapter.find(sought, account, since)), "Unavailable")
      yield* TestClock.adjust("5 minutes")
      const found = Option.getOrThrow(yield* adapter.find(sought, account, since))
      assert.strictEqual(found.platformPostId, ids[2])
      const others = { ...account.others, published: () => Effect.succeed(new Set([ids[2] ?? ""])) }
      assert.isTrue(Option.isNone(yield* adapter.find(sought, { ...account, others }, since)))
      const { unmatched = () => Effect.die("No list") } = adapter
      const { complete, posts } = yield* unmatched({ ...account, others }, since, yield* DateTime.now)
      assert.isTrue(complete)
      assert.sameMembers(
        posts.map(({ text }) => text),
        ["One", "Two", "Four"]
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("From 90 percent of the allowed calls on, nothing new is begun until access is regained", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(now))
      const post = `${facebookConformance.accountId}_122100000000001`
      const usage = (percent: number, minutes: number) => ({
        "x-business-use-case-usage": JSON.stringify({
          "1": [{ type: "pages", call_count: percent, estimated_time_to_regain_access: minutes }]
        })
      })
      let headers: Readonly<Record<string, string>> = usage(95, 12)
      let count = 0
      const call: Call = () =>
        Effect.suspend(() => {
          count += 1
          return Effect.fromResult(respond(200, { id: post }, headers))
        })
      const url = "https://platform.test"
      const adapter = yield* facebook.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })
      const account = accountOf(facebookConformance)
      const prepared = adapter.prepare({ targetId, text: "Hello", settings: {} }, account)
      assert.strictEqual(yield* outcome(prepared), "success")
      const limited = yield* Effect.flip(prepared)
      assert.deepStrictEqual(limited instanceof RateLimited && limited.until, DateTime.addDuration(now, "12 minutes"))
      // Other accounts go on.
      const other = { ...account, accountId: "104512345678901" }
      assert.strictEqual(yield* outcome(adapter.prepare({ targetId, text: "Hello", settings: {} }, other)), "success")
      assert.strictEqual(count, 2)
      yield* TestClock.adjust("12 minutes")
      headers = { "x-app-usage": JSON.stringify({ call_count: 91, total_cputime: 1, total_time: 1 }) }
      assert.strictEqual(yield* outcome(prepared), "success")
      assert.strictEqual(
        yield* outcome(adapter.prepare({ targetId, text: "Hello", settings: {} }, other)),
        "RateLimited"
      )
    })
  )

  it.effect("An unpublished post that Facebook could not make says why", () =>
    Effect.gen(function* () {
      const failWith = (answer: ReturnType<typeof problem>) =>
        outcome(prepare({ ...facebookConformance, preparing: () => answer }))
      assert.strictEqual(yield* failWith(problem(400, 368)), "NeedsReauthorization")
      assert.strictEqual(yield* failWith(problem(400, 506)), "Rejected")
      assert.strictEqual(yield* failWith(problem(400, 17)), "RateLimited")
      assert.strictEqual(yield* failWith(problem(400, 1, 1366046)), "Rejected")
      assert.strictEqual(yield* failWith(problem(400, 1)), "Unavailable")
      assert.strictEqual(yield* failWith(problem(500, 2)), "Unavailable")
      assert.strictEqual(yield* failWith(respond(200, { success: true })), "Unavailable")
      assert.strictEqual(yield* failWith(respond(200, "<h1>Welcome</h1>")), "Unavailable")
      assert.strictEqual(yield* failWith(problem(400, 100)), "Rejected")
    }).pipe(Effect.provide(withServers))
  )
})

describe("A reel", () => {
  const [kind = ""] = Object.keys(reelConformance.posts)
  const prepared = prepare(reelConformance, reelConformance.posts[kind])

  it.effect("Its steps never repeat the request that publishes it", () =>
    Effect.gen(function* () {
      const first = adapterOf(reelConformance).send(yield* prepared, accessOf(reelConformance), now)
      assert.isAbove(walk(reelConformance, kind, first), 15)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The engine's own failures leave open if it may be out", () =>
    Effect.gen(function* () {
      const [runs = 0] = carryOutEveryWay(reelConformance, [{ kind, prepared: yield* prepared }])
      assert.isAbove(runs, 15)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It is uploaded with OAuth, continued after a cut, and out once Facebook has processed it", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests, upload } = yield* pageWorld(reelConformance)
      const started = yield* upload([video], account, null)
      if (started._tag !== "Processing") return assert.fail("The id is not stored before the bytes")
      assert.isFalse(requests.some(({ url }) => url.includes("/rupload/")))
      // Half of the bytes arrive.
      yield* fail({ kind: "nulls" }, "any", 1)
      yield* fail({ kind: "nulls" }, "any", 1)
      let progress = yield* upload([video], account, started.begun)
      for (let calls = 0; progress._tag === "Processing" && calls < 5; calls++) {
        progress = yield* upload([video], account, progress.begun)
      }
      if (progress._tag !== "Uploaded") return assert.fail("It is not uploaded")
      const sent = requests.filter(({ url }) => url.includes("/rupload/"))
      assert.deepStrictEqual(
        sent.map(({ headers }) => [headers["authorization"]?.split(" ")[0], headers["offset"]]),
        [
          ["OAuth", "0"],
          ["OAuth", String(Math.ceil(video.size / 2))]
        ]
      )
      const { uploads } = progress
      const prepared = yield* prepare({ text: "A reel", uploads })
      assert.strictEqual(yield* accepted, 0)
      const sentAt = yield* DateTime.now
      const taken = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.isTrue(taken instanceof Accepted)
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "Accepted")
      yield* TestClock.adjust("20 seconds")
      const { url } = yield* adapter.reconcile(prepared, account, sentAt)
      assert.match(url ?? "", /\/reel\/\d+$/)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("No other host gets its bytes or the token", () =>
    Effect.gen(function* () {
      const { account, fail, requests, upload } = yield* pageWorld(reelConformance)
      yield* fail({ kind: "nulls" }, "any", 1)
      assert.strictEqual(yield* outcome(upload([video], account, null)), "Unavailable")
      assert.isTrue(requests.every(({ url }) => url.startsWith("http://127.0.0.1:")))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("One that Facebook can't process after its acknowledgement is not out, and its reason is told", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, uploadsOf } = yield* pageWorld(reelConformance)
      const prepared = yield* prepare({ uploads: yield* uploadsOf([video]) })
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "processing", error: "Bad codec" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "Accepted")
      yield* TestClock.adjust("30 seconds")
      const dropped = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
      assert.isTrue(dropped instanceof Dropped && dropped.message.includes("Bad codec"))
      yield* TestClock.adjust("5 minutes")
      assert.isTrue(Option.isNone(yield* adapter.find(prepared, account, sentAt)))
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("One that was published from an earlier upload is found, although a later one waits", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, uploadsOf } = yield* pageWorld(reelConformance)
      const earlier = yield* prepare({ uploads: yield* uploadsOf([video]) })
      const sentAt = yield* DateTime.now
      yield* Effect.exit(sendPost(adapter, earlier, account))
      yield* TestClock.adjust("20 seconds")
      const { platformPostId, url } = yield* adapter.reconcile(earlier, account, sentAt)
      const later = yield* prepare({ uploads: yield* uploadsOf([video]) })
      yield* TestClock.adjust("6 minutes")
      const found = Option.getOrThrow(yield* adapter.find(later, account, sentAt))
      assert.deepStrictEqual(found, { platformPostId, url, recognized: true })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer its state decides, and it is published once", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests, uploadsOf } = yield* pageWorld(reelConformance)
      const prepared = yield* prepare({ uploads: yield* uploadsOf([video]) })
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "Accepted")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "success")
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [1, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A request that never arrived ends after three hours: the video is deleted, and certainly not out", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, requests, uploadsOf } = yield* pageWorld(reelConformance)
      const prepared = yield* prepare({ uploads: yield* uploadsOf([video]) })
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "OutcomeUnknown")
      yield* TestClock.adjust("2 hours")
      assert.isTrue((yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))) instanceof Dropped)
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [1, 0])
      // Publishing it again begins with another upload.
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )
})
