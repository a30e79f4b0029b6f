import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { type Call, callTimeout } from "../../src/platforms/call.ts"
import { sendPost } from "../../src/platforms/carryOut.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import { platformHttpLayer } from "../support/http/platformHttpLayer.ts"
import { carryOutEveryWay } from "./contract/carriedOut.ts"
import {
  accessOf,
  accountOf,
  adapterOf,
  answerPreparing,
  type Conformance,
  now,
  prepare,
  prepareBy
} from "./contract/conformance.ts"
import { kinds, named, othersThan } from "./contract/conformances.ts"
import { drawFrom, strangersOf } from "./contract/drawn.ts"
import { answerAnything, answerAsStrangers } from "./contract/drawnWalk.ts"
import { slowWorld, taken } from "./contract/slowWorld.ts"
import { standInWorld } from "./contract/standInWorld.ts"
import { checkIncomplete, readBack, startOf, unknownForms } from "./contract/storedForms.ts"
import { prepareAsMeasured, sendAsShown } from "./contract/texts.ts"
import { walk } from "./contract/walk.ts"
import { outcome, statusFault, storedAccount, targetId } from "./world.ts"

/** The drawn conversations about each kind of post, and the drawn texts. */
const runs = 80
const seeds = Array.from({ length: runs }, (_, seed) => seed)

/** The platforms that accept a text and process it afterwards. */
const slow = named.filter(
  ({ platform }) => platform.answers.accepted !== undefined && platform.always?.uploads === undefined
)

const unaddressed = kinds.filter(({ kind, platform }) => kind === platform.addressFollows)

const readRecord = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Json))

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

describe("The steps of a send", () => {
  it.effect.each(kinds)(
    "$name never gets $kind again that may be out, and each step says what may be out",
    ({ kind, more, platform }) =>
      Effect.gen(function* () {
        const first = adapterOf(platform).send(yield* prepare(platform, more), accessOf(platform), now)
        assert.isAbove(walk(platform, kind, first), 15)
      })
  )

  it.effect.each(named)("The engine's own failures leave open what may be out: $name", ({ platform }) =>
    Effect.gen(function* () {
      const own = kinds.filter((each) => each.platform === platform)
      const posts = yield* Effect.forEach(own, ({ kind, more }) =>
        Effect.map(prepare(platform, more), (prepared) => ({ kind, prepared }))
      )
      const runs = carryOutEveryWay(platform, posts)
      assert.lengthOf(runs, platform.outlines ?? 1)
      assert.isAbove(Math.min(...runs), 15)
    })
  )

  it.effect.each(kinds)("Any answers to $kind lead to an end: $name", ({ kind, more, platform }) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(platform, more)
      const answer = answerAnything(platform, othersThan(platform), kind, prepared)
      for (const seed of seeds) answer(drawFrom(seed))
    })
  )

  it.effect.each(kinds)("A stranger's answers to $kind prove nothing: $name", ({ kind, more, platform }) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(platform, more)
      const answer = answerAsStrangers(platform, othersThan(platform), kind, prepared)
      for (const seed of seeds) answer(drawFrom(seed))
    })
  )
})

describe("A text", () => {
  it.effect.each(named)("$name gets it as the preview shows it", ({ platform }) =>
    Effect.forEach(seeds, (seed) => sendAsShown(platform, drawFrom(seed)))
  )

  it.effect.each(named)(
    "It is prepared for $name if the rules accept it, and refused if it is too long",
    ({ platform }) =>
      Effect.gen(function* () {
        const accepted = yield* Effect.forEach(seeds, (seed) => prepareAsMeasured(platform, drawFrom(seed)))
        const count = accepted.filter(Boolean).length
        assert.isTrue(count > runs / 10 && count < runs, `${count} of ${runs} are accepted`)
      })
  )
})

describe("A prepared post", () => {
  it.effect.each(kinds)("$kind for $name is the same after it was stored", ({ more, platform }) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(platform, more)
      const { send } = adapterOf(platform)
      const sent = send(prepared, accessOf(platform), now)
      assert.deepStrictEqual(
        JSON.parse(JSON.stringify(send(readBack(prepared), accessOf(platform), now))),
        JSON.parse(JSON.stringify(sent))
      )
      assert.include(["Request", "Files"], sent._tag)
    })
  )

  it.effect.each(kinds)(
    "$kind for $name is not sent if its form is unknown or its account another",
    ({ more, platform }) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(platform, more)
        for (const form of unknownForms(prepared)) {
          assert.strictEqual(startOf(platform, form), "Rejected", JSON.stringify(form))
        }
        checkIncomplete(platform, prepared)
        assert.strictEqual(startOf(platform, prepared, { ...accessOf(platform), accountId: "other" }), "Rejected")
        const unreadable = accessOf(platform, Redacted.make("{}"))
        assert.include(["NeedsReauthorization", "Files"], startOf(platform, prepared, unreadable))
      })
  )

  it.effect.each(named)(
    "$name is asked nothing about a post that can't be read, or is another account's",
    ({ platform }) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(platform)
        const { find, reconcile } = adapterOf(platform)
        for (const form of unknownForms(prepared)) {
          assert.strictEqual(yield* outcome(reconcile(form, accountOf(platform), now)), "OutcomeUnknown")
          assert.strictEqual(yield* outcome(find(form, accountOf(platform), now)), "OutcomeUnknown")
        }
        const other = { ...accountOf(platform), accountId: "other" }
        assert.strictEqual(yield* outcome(reconcile(prepared, other, now)), "Unavailable")
        assert.strictEqual(yield* outcome(find(prepared, other, now)), "Unavailable")
      })
  )
})

/** The outcome of a send whose response was lost after the post was stored. */
const afterLoss = ({ asksImmediately }: Conformance) => (asksImmediately === true ? "success" : "OutcomeUnknown")

/** Faults that a look for an earlier send may meet. */
const disturbances: ReadonlyArray<Fault | undefined> = [
  undefined,
  { kind: "front", status: 403 },
  { kind: "front", status: 200 },
  { kind: "reset", when: "before_commit" },
  ...[400, 401, 403, 404, 429, 500, 503].map((status) => statusFault(status))
]

describe("A look for an earlier send", () => {
  it.effect.each(named)("$name gets no second post, whatever disturbs the look", ({ platform }) =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare, recover, requests } = yield* standInWorld(platform)
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), afterLoss(platform))
      assert.strictEqual(yield* accepted, 1)
      for (const fault of disturbances) {
        if (fault !== undefined) yield* fail(fault, "any", 100)
        const before = requests.length
        const found = yield* Effect.result(adapter.find(prepared, account, sentAt))
        assert.isFalse(requests.slice(before).some(platform.isPost), "A look shows a post")
        const reconciled = yield* Effect.result(adapter.reconcile(prepared, account, sentAt))
        const isRepeated = requests.slice(before).some(platform.isPost)
        assert.isTrue(!isRepeated || platform.repeats !== undefined, "A look shows a post")
        yield* recover
        if (fault === undefined && platform.looks !== false) {
          const { platformPostId } = Result.getOrThrow(reconciled)
          assert.strictEqual(Option.getOrThrow(Result.getOrThrow(found)).platformPostId, platformPostId)
        } else if (Result.isSuccess(found)) assert.isTrue(Option.isSome(found.success), "A disturbed look says no")
        assert.strictEqual(yield* accepted, 1)
      }
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(named)("$name is not said to have a post that it never got", ({ platform }) =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare } = yield* standInWorld(platform)
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
      if (platform.settlesAfter !== undefined) {
        const early = yield* Effect.result(adapter.find(prepared, account, sentAt))
        assert.isTrue(Result.isFailure(early), "A look says no too early")
        yield* TestClock.adjust(platform.settlesAfter)
      }
      if (platform.looks === false) {
        assert.strictEqual(yield* outcome(adapter.find(prepared, account, sentAt)), "OutcomeUnknown")
      } else assert.isTrue(Option.isNone(yield* adapter.find(prepared, account, sentAt)))
      const reconciled = yield* outcome(adapter.reconcile(prepared, account, sentAt))
      const expected = platform.repeats === undefined ? ["OutcomeUnknown", 0] : ["success", 1]
      assert.deepStrictEqual([reconciled, yield* accepted], expected)
    }).pipe(Effect.provide(withServers))
  )

  // Otherwise a post that a person has not found there could never be sent again.
  it.effect.each(kinds)(
    "$name says that $kind is not there, unless its rules say that it can't",
    ({ more, platform }) =>
      Effect.gen(function* () {
        const { account, adapter, prepare } = yield* standInWorld(platform)
        const { accountId } = account
        const { settings = {}, uploads: made = null } = { ...platform.always, ...more }
        const owned = Option.filter(readRecord(made), (uploads) => uploads["accountId"] !== undefined)
        const uploads = Option.isSome(owned) ? { uploads: { ...owned.value, accountId } } : {}
        const sentAt = yield* DateTime.now
        for (const text of made === null ? ["Hello"] : ["Hello", ""]) {
          const sought = yield* prepare({ ...more, ...uploads, text, isSought: true })
          yield* TestClock.adjust("1 day")
          const looked = yield* Effect.result(adapter.find(sought, account, sentAt))
          const canBeFound = platform.rules.canBeFound?.({ accountId, settings, text }) !== false
          // Another failure lets the service ask again.
          const asksPerson =
            Result.isFailure(looked) && looked.failure._tag === "OutcomeUnknown" && looked.failure.conclusive === true
          assert.strictEqual(asksPerson, !canBeFound)
          if (Result.isSuccess(looked)) assert.isTrue(Option.isNone(looked.success))
        }
      }).pipe(Effect.provide(withServers))
  )
})

describe("A platform that takes its time", () => {
  it.effect.each(kinds)(
    "$name is asked for nothing but what it knows while $kind is prepared to be looked for",
    ({ more, platform }) =>
      Effect.gen(function* () {
        const requests: Array<HttpClientRequest.HttpClientRequest> = []
        const call: Call = (request) => {
          requests.push(request)
          return answerPreparing(platform)(request)
        }
        yield* prepareBy(platform, call, { ...more, isSought: true })
        if (adapterOf(platform).preparesThere !== true) yield* prepareBy(platform, call, more)
        assert.isTrue(requests.every(({ method }) => method === "GET"))
      })
  )

  it.effect.each(kinds)("Strangers let $name show nothing of $kind, and drop nothing", ({ more, platform }) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(platform, more)
      const answerOf = strangersOf(platform, othersThan(platform))
      for (const seed of seeds) {
        const draw = drawFrom(seed)
        const strange =
          (mayRepeat: boolean): Call =>
          (request) => {
            assert.isTrue(mayRepeat || !platform.isPost(request), "A post is shown")
            return Effect.fromResult(answerOf(draw))
          }
        const made = yield* Effect.result(prepareBy(platform, strange(false), more))
        if (Result.isFailure(made) && made.failure._tag === "Preparing") {
          assert.deepStrictEqual(readBack(made.failure.begun), made.failure.begun)
        }
        const account = accountOf(platform)
        const stranger = {
          ...account,
          credentials: { ...account.credentials, refresh: () => account.credentials.current }
        }
        const reconciled = adapterOf(platform, strange(platform.repeats !== undefined)).reconcile(
          prepared,
          stranger,
          now
        )
        assert.notStrictEqual(yield* outcome(reconciled), "Dropped")
      }
    })
  )

  it.effect.each(slow)(
    "$name makes ready what a post is published from, takes it, and shows it in the end",
    ({ platform }) =>
      Effect.gen(function* () {
        const { adapter, posts, prepareReady } = yield* slowWorld(platform)
        const { account, begun, prepared } = yield* prepareReady
        assert.isAbove(begun.length, 0)
        assert.deepStrictEqual(begun.map(readBack), begun)
        assert.strictEqual(yield* posts, 0)
        const sentAt = yield* DateTime.now
        const { askAfter } = yield* taken(sendPost(adapter, prepared, account))
        yield* taken(adapter.find(prepared, account, sentAt))
        yield* taken(adapter.reconcile(prepared, account, sentAt))
        yield* TestClock.adjust(askAfter)
        const { platformPostId, url } = yield* adapter.reconcile(prepared, account, sentAt)
        const found = Option.getOrThrow(yield* adapter.find(prepared, account, sentAt))
        assert.deepStrictEqual([found.platformPostId, found.url], [platformPostId, url])
        assert.strictEqual(yield* posts, 1)
      }).pipe(Effect.provide(withServers))
  )

  it.effect.each(slow)("What $name has lost is begun anew, and nothing is sent without it", ({ platform }) =>
    Effect.gen(function* () {
      const { accepted, adapter, prepareReady } = yield* slowWorld(platform)
      const { account, begun, prepared, request } = yield* prepareReady
      yield* TestClock.adjust("90 minutes")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
      const again = yield* Effect.flip(adapter.prepare({ ...request, begun: begun.at(-1) ?? null }, account))
      assert.isTrue(again._tag === "Preparing" && !begun.includes(again.begun))
      const sought = yield* adapter.prepare({ ...request, isSought: true }, account)
      assert.strictEqual(yield* outcome(sendPost(adapter, sought, account)), "UploadsGone")
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(slow)("What $name took and dropped is not there, and may be sent again", ({ platform }) =>
    Effect.gen(function* () {
      const { account, adapter, fail, recover } = yield* standInWorld(platform)
      const prepared = yield* adapter.prepare({ targetId, text: "Hello", settings: {} }, account)
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "processing", error: "Lost" }, "publish", 1)
      const { askAfter } = yield* taken(sendPost(adapter, prepared, account))
      yield* taken(adapter.reconcile(prepared, account, sentAt))
      yield* TestClock.adjust(askAfter)
      for (const fault of disturbances) {
        if (fault === undefined) continue
        yield* fail(fault, "any", 100)
        assert.notStrictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "Dropped")
        yield* recover
      }
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "Dropped")
      if (platform.looks === false) {
        assert.strictEqual(yield* outcome(adapter.find(prepared, account, sentAt)), "OutcomeUnknown")
      } else assert.isTrue(Option.isNone(yield* adapter.find(prepared, account, sentAt)))
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(unaddressed)("$name tells the address of $kind later", ({ more, platform }) =>
    Effect.gen(function* () {
      const { account, adapter, prepare } = yield* standInWorld(platform)
      const prepared = yield* prepare(more)
      const { addressFollows, url } = yield* sendPost(adapter, prepared, account)
      assert.deepStrictEqual([addressFollows, url], [true, null])
      const { findAddress = () => Effect.die("Nobody finds it") } = adapter
      const publishedAt = yield* DateTime.now
      assert.isTrue(Option.isNone(yield* findAddress(prepared, account, publishedAt)))
      yield* TestClock.adjust("1 minute")
      const found = Option.getOrThrow(yield* findAddress(prepared, account, publishedAt))
      const path = platform.facts.postPath.exec(new URL(found.url ?? "").pathname)
      assert.strictEqual(platform.rules.postId(account.accountId, path?.groups?.["key"] ?? ""), found.platformPostId)
    }).pipe(Effect.provide(withServers))
  )
})

describe("An account", () => {
  it.effect.each(named)(
    "On $name it is linked, publishes, and publishes no more once its access was revoked",
    ({ platform }) =>
      Effect.gen(function* () {
        const { account, adapter, consent, link, prepare, withdraw } = yield* standInWorld(platform)
        assert.strictEqual(link.kind, platform.facts.link.kind)
        const redirectUri = "https://posts.example/callback"
        const verifier = "a verifier"
        const challenge = createHash("sha256").update(verifier).digest("base64url")
        const connect = Effect.gen(function* () {
          if (link.kind === "form") return yield* link.logIn(platform.form ?? {}, { guarded: false })
          const asked = new URL(link.authorizeUrl({ redirectUri, state: "a state", challenge })).searchParams
          const isChallenged = platform.standIn.consent?.usesPkce !== false
          assert.deepStrictEqual(
            ["redirect_uri", "state", "code_challenge"].map((name) => asked.get(name)),
            [redirectUri, "a state", isChallenged ? challenge : null]
          )
          const code = yield* consent(challenge, redirectUri)
          const { accounts } = yield* link.finish({ code, verifier: Redacted.make(verifier), redirectUri })
          return yield* Effect.fromNullishOr(accounts[0])
        })
        const linked = yield* connect
        assert.deepStrictEqual([linked.accountId, linked.username], [account.accountId, account.username])
        const { account: stored } = yield* storedAccount(linked)
        const own = { ...stored, files: account.files }
        const prepared = yield* prepare({}, own)
        const { platformPostId, url } = yield* sendPost(adapter, prepared, own)
        const { pathname, search } = new URL(url ?? "")
        const key = platform.facts.postPath.exec(`${pathname}${search}`)?.groups?.["key"] ?? ""
        assert.strictEqual(platform.rules.postId(account.accountId, key), platformPostId)
        // Null if the platform does not say.
        assert.include([account.username, null], (yield* link.profile(linked)).username)
        const again = yield* prepare({ part: 2, text: "Again" }, own)
        yield* link.revoke(linked)
        // A person withdraws what the platform lets nobody else revoke.
        if (platform.facts.link.revokes === "none") yield* withdraw
        assert.strictEqual(yield* outcome(sendPost(adapter, again, own)), "NeedsReauthorization")
      }).pipe(Effect.provide(withServers))
  )

  it.effect.each(named)("On $name it has to be connected again once a renewed token is refused too", ({ platform }) =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare } = yield* standInWorld(platform)
      const prepared = yield* prepare()
      const { asksWithToken = "publish" } = platform
      if (platform.facts.renewsAccess === false) {
        yield* fail(platform.refusedToken, asksWithToken, 1)
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "NeedsReauthorization")
        assert.strictEqual(yield* accepted, 0)
        return
      }
      yield* fail(platform.refusedToken, asksWithToken, 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      const other = yield* prepare({ part: 2, text: "Again" })
      yield* fail(platform.refusedToken, asksWithToken, 2)
      assert.strictEqual(yield* outcome(sendPost(adapter, other, account)), "NeedsReauthorization")
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )
})

describe("A send", () => {
  it.effect.each(named)("To $name it times out after 20 seconds, and its outcome is unknown", ({ platform }) =>
    Effect.gen(function* () {
      const { account, adapter, fail, met, prepare } = yield* standInWorld(platform)
      const prepared = yield* prepare()
      yield* fail({ kind: "hang", when: "after_commit" }, "publish", 1)
      const sending = yield* Effect.forkChild(outcome(sendPost(adapter, prepared, account)))
      yield* met
      yield* TestClock.adjust(callTimeout)
      assert.strictEqual(yield* Fiber.join(sending), afterLoss(platform))
    }).pipe(Effect.provide(withServers))
  )
})
