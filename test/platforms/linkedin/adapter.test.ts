import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option, Redacted, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { OutcomeUnknown, RateLimited } from "../../../src/domain/publishing/platformError.ts"
import { makeCall } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { connectLinkedin } from "../../../src/platforms/linkedin/live.ts"
import { standInVersion } from "../../../src/platforms/linkedin/standIn/responses.ts"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { sandboxApplications } from "../../../src/platforms/linkedin/standIn/tokenEndpoint.ts"
import type { Account, PlatformFile, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { image } from "../../support/mediaChecks.ts"
import { bodyOf } from "../contract/conformance.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { mp4, png } from "../../sandbox/sampleFiles.ts"
import { outcome, statusFault, targetId } from "../world.ts"
import { linkedinConformance, linkedinPageConformance } from "./conformance.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const worldOf = Effect.fnUntraced(function* (kind: "member" | "page") {
  const world = yield* standInWorld(kind === "page" ? linkedinPageConformance : linkedinConformance)
  const { adapter } = world
  const account: Account = {
    ...world.account,
    files: {
      ...noFiles,
      read: (hash, range) => {
        const bytes = hash === "video" ? videoBytes : new Uint8Array(png)
        return Stream.make(range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length))
      }
    }
  }
  const prepare = (more: Partial<PublishRequest> = {}) =>
    adapter.prepare({ targetId, text: "Hello", settings: {}, ...more }, account)
  return {
    ...world,
    account,
    prepare,
    publish: (more?: Partial<PublishRequest>) =>
      Effect.flatMap(prepare(more), (prepared) => sendPost(adapter, prepared, account))
  }
})

/** Two parts of an upload. */
const videoBytes = mp4(4 * 1024 * 1024 + 10)

const verifier = Redacted.make("a verifier")

const picture: PlatformFile = { ...image, hash: "a", alt: "A drop" }
const video: PlatformFile = {
  ...image,
  hash: "video",
  type: "video",
  contentType: "video/mp4",
  size: videoBytes.byteLength,
  alt: ""
}

describe("LinkedIn", () => {
  it.effect("A text arrives whole, with its reserved characters, hashtag and mention", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, requests } = yield* worldOf("page")
      const text = "Hi @[Acme](urn:li:organization:1)! We (the team) wrote a_b*c, {x} <y> #go ~ [1] \\ | #été_2"
      const prepared = yield* prepare({ text })
      const since = yield* DateTime.now
      const { platformPostId, url } = yield* sendPost(adapter, prepared, account)
      assert.match(url ?? "", /\/feed\/update\/urn:li:share:\d+$/)
      assert.deepStrictEqual(requests.filter(linkedinConformance.isPost).map(linkedinConformance.textOf), [text])
      const found = Option.getOrThrow(yield* adapter.find(prepared, account, since))
      assert.strictEqual(found.platformPostId, platformPostId)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The stand-in cuts a text at a reserved character that is not escaped, and says nothing", () =>
    Effect.gen(function* () {
      const { account, adapter, publish, requests } = yield* worldOf("page")
      yield* publish({ text: "Hello" })
      const sent = requests.find(linkedinConformance.isPost)
      if (sent === undefined) return assert.fail("Nothing was sent")
      const call = makeCall(yield* HttpClient.HttpClient, "LinkedIn")
      const raw = HttpClientRequest.bodyJsonUnsafe(sent, { ...bodyOf(sent), commentary: "Before (after) it" })
      const { body, headers, status } = yield* call(raw)
      assert.deepStrictEqual([status, body], [201, ""])
      assert.match(headers["x-restli-id"] ?? "", /^urn:li:share:\d+$/)
      const whole = yield* adapter.prepare({ targetId, text: "Before (after) it", settings: {} }, account)
      const cut = yield* adapter.prepare({ targetId, text: "Before", settings: {} }, account)
      const since = yield* DateTime.now
      assert.isTrue(Option.isNone(yield* adapter.find(whole, account, since)))
      assert.isTrue(Option.isSome(yield* adapter.find(cut, account, since)))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After its version has ended, LinkedIn refuses the application, and nothing was published", () =>
    Effect.gen(function* () {
      const { accepted, account, prepare, publish, requests } = yield* worldOf("member")
      yield* publish({ text: "First" })
      const { origin } = new URL(requests[0]?.url ?? "")
      const call = makeCall(yield* HttpClient.HttpClient, "LinkedIn")
      const adapterOf = (version: string) => {
        const config = { apiUrl: origin, oauthUrl: origin, webUrl: origin, version, ...sandboxApplications }
        return connectLinkedin(config).makeAdapter({ configured: call, guarded: call })
      }
      const prepared = yield* prepare()
      const ended = yield* outcome(sendPost(yield* adapterOf("202001"), prepared, account))
      assert.deepStrictEqual([ended, yield* accepted], ["ApplicationRefused", 1])
      assert.strictEqual(yield* outcome(sendPost(yield* adapterOf(standInVersion), prepared, account)), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A fresh token that LinkedIn calls revoked is tried again later; an older one is not", () =>
    Effect.gen(function* () {
      const { accepted, fail, publish } = yield* worldOf("member")
      const revoked = statusFault(401, { error: "REVOKED_ACCESS_TOKEN" })
      yield* fail(revoked, "publish", 1)
      assert.strictEqual(yield* outcome(publish()), "Unavailable")
      yield* TestClock.adjust("11 minutes")
      yield* fail(revoked, "publish", 1)
      assert.strictEqual(yield* outcome(publish()), "NeedsReauthorization")
      assert.strictEqual(yield* accepted, 0)
      assert.strictEqual(yield* outcome(publish()), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A repeated text is a duplicate for ten minutes", () =>
    Effect.gen(function* () {
      const { publish } = yield* worldOf("page")
      assert.strictEqual(yield* outcome(publish()), "success")
      assert.strictEqual(yield* outcome(publish()), "DuplicateRefused")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* outcome(publish()), "success")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A limit without headers ends after an hour, or at midnight UTC", () =>
    Effect.gen(function* () {
      const { fail, publish } = yield* worldOf("member")
      const now = yield* DateTime.now
      yield* fail(statusFault(429), "publish", 2)
      const limited = yield* Effect.flip(publish())
      assert.isTrue(limited instanceof RateLimited)
      if (!(limited instanceof RateLimited)) return
      assert.deepStrictEqual(limited.until, DateTime.addDuration(now, Duration.hours(1)))
      yield* TestClock.adjust("710 minutes")
      const later = yield* Effect.flip(publish())
      if (!(later instanceof RateLimited)) return assert.fail("It is not limited")
      assert.strictEqual(DateTime.formatIso(later.until), "2030-02-01T00:00:00.000Z")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer to a page's post, the finder is asked until it shows the post", () =>
    Effect.gen(function* () {
      const { account, accepted, adapter, fail, prepare } = yield* worldOf("page")
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      const lost = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.isTrue(lost instanceof OutcomeUnknown && lost.conclusive !== true)
      yield* fail({ kind: "lag", ms: 60_000 }, "any", 1)
      const missing = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
      assert.isTrue(missing instanceof OutcomeUnknown && missing.conclusive !== true)
      const { platformPostId, recognized } = yield* adapter.reconcile(prepared, account, sentAt)
      assert.match(platformPostId ?? "", /^urn:li:share:\d+$/)
      assert.isTrue(recognized)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A missing post is not believed to be missing within five minutes after its send", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare } = yield* worldOf("page")
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      assert.strictEqual(yield* outcome(adapter.find(prepared, account, sentAt, sentAt)), "Unavailable")
      yield* TestClock.adjust("5 minutes")
      assert.isTrue(Option.isNone(yield* adapter.find(prepared, account, sentAt, sentAt)))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer to a member's post, a person is told, and LinkedIn is asked nothing", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, prepare, requests } = yield* worldOf("member")
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      const lost = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.isTrue(lost instanceof OutcomeUnknown && lost.conclusive === true, lost.message)
      const before = requests.length
      const looked = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
      assert.isTrue(looked instanceof OutcomeUnknown && looked.conclusive === true)
      assert.strictEqual(requests.length, before)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(["page", "member"] as const)(
    "A post without its id is published; of a %s the address is found if the posts can be read",
    (kind) =>
      Effect.gen(function* () {
        const { account, adapter, fail, prepare } = yield* worldOf(kind)
        const prepared = yield* prepare()
        const publishedAt = yield* DateTime.now
        yield* fail({ kind: "nulls" }, "publish", 1)
        const { addressFollows, platformPostId } = yield* sendPost(adapter, prepared, account)
        assert.deepStrictEqual([platformPostId, addressFollows], [null, kind === "page" ? true : undefined])
        const { findAddress = () => Effect.die("No look") } = adapter
        const found = yield* findAddress(prepared, account, publishedAt)
        assert.strictEqual(Option.isSome(found), kind === "page")
      }).pipe(Effect.provide(withServers))
  )

  it.effect.each(["page", "member"] as const)("An image of a %s is posted once LinkedIn has processed it", (kind) =>
    Effect.gen(function* () {
      const { account, adapter, publish, requests } = yield* worldOf(kind)
      const { upload = () => Effect.die("No upload") } = adapter
      const files = [picture, { ...picture, alt: "" }]
      const first = yield* upload(files, account, null)
      if (first._tag !== "Processing") return assert.fail("It does not wait")
      yield* TestClock.adjust(kind === "page" ? "2 seconds" : "10 seconds")
      const second = yield* upload(files, account, first.begun)
      if (second._tag !== "Uploaded") return assert.fail("It waits longer")
      const { platformPostId } = yield* publish({ text: "", uploads: second.uploads })
      assert.isNotNull(platformPostId)
      const asked = requests.filter(({ method, url }) => method === "GET" && url.includes("/rest/images/"))
      assert.strictEqual(asked.length > 0, kind === "page")
      const put = requests.filter(({ method }) => method === "PUT")
      assert.isTrue(put.every(({ headers }) => headers["authorization"]?.startsWith("Bearer ") === true))
      const sent = requests.find(linkedinConformance.isPost)
      assert.deepStrictEqual(
        sent && bodyOf(sent).content.multiImage.images.map(({ altText }: { readonly altText?: string }) => altText),
        ["A drop", undefined]
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video is uploaded in parts without the token, and an unknown file is uploaded again", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, publish, requests } = yield* worldOf("member")
      const { upload = () => Effect.die("No upload") } = adapter
      const first = yield* upload([video], account, null)
      if (first._tag !== "Processing") return assert.fail("It does not wait")
      const parts = requests.filter(({ method }) => method === "PUT")
      assert.deepStrictEqual(
        parts.map(({ headers }) => headers["authorization"]),
        [undefined, undefined]
      )
      yield* TestClock.adjust("5 seconds")
      const second = yield* upload([video], account, first.begun)
      if (second._tag !== "Uploaded") return assert.fail("It waits longer")
      yield* fail({ kind: "forgotten_files" }, "publish", 1)
      assert.strictEqual(yield* outcome(publish({ uploads: second.uploads })), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that LinkedIn can't process is refused", () =>
    Effect.gen(function* () {
      const { account, adapter, fail } = yield* worldOf("page")
      const { upload = () => Effect.die("No upload") } = adapter
      yield* fail({ kind: "processing", error: "No" }, "any", 1)
      const first = yield* upload([picture], account, null)
      if (first._tag !== "Processing") return assert.fail("It does not wait")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* outcome(upload([picture], account, first.begun)), "Rejected")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A part of a thread is refused", () =>
    Effect.gen(function* () {
      const { prepare } = yield* worldOf("page")
      const first = { platformPostId: "urn:li:share:1", cid: null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      assert.strictEqual(yield* outcome(prepare({ reply, part: 2 })), "Rejected")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A consent to the profile offers the pages too; the second consent offers each page", () =>
    Effect.gen(function* () {
      const { account, consent, link } = yield* worldOf("member")
      if (link.kind !== "consent") return assert.fail("LinkedIn has a page for its consent")
      const redirectUri = "https://posts.example/callback"
      const grantOf = Effect.map(consent("", redirectUri), (code) => ({ code, redirectUri, verifier }))
      const first = yield* link.finish(yield* grantOf)
      assert.deepStrictEqual(
        first.accounts.map(({ accountId }) => accountId),
        [account.accountId]
      )
      assert.strictEqual(first.further?.consent, "pages")
      assert.isTrue(first.accounts.every(({ accessUntil }) => accessUntil !== undefined))
      const second = yield* link.finish({ ...(yield* grantOf), consent: "pages" })
      assert.deepStrictEqual(
        second.accounts.map(({ username }) => username),
        ["Team-page", "Team-page-jobs"]
      )
      assert.isUndefined(second.further)
    }).pipe(Effect.provide(withServers))
  )
})
