import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { PostId, TargetId } from "../../../src/domain/ids.ts"
import { checkAccount, checkAge, readPostUrl, targetIdsOfKey } from "../../../src/domain/publishing/postUrl.ts"
import { recordKey } from "../../../src/platforms/bluesky/postRecord.ts"
import { tweetId } from "../../../src/sandbox/twitter/tweet.ts"

const site = "http://127.0.0.1:3000/sandbox/twitter"
const did = "did:plc:ada"
const ada = { accountId: did, username: "ada.example" }

const read = (platform: "twitter" | "bluesky", url: string) => Result.getOrThrow(readPostUrl(platform, url))

/** Why a URL is not one of an account. */
const refusal = (platform: "twitter" | "bluesky", account: Parameters<typeof checkAccount>[1], url: string) =>
  Result.match(checkAccount(platform, account, read(platform, url)), {
    onSuccess: () => "",
    onFailure: ({ errors }) => errors.map(({ message }) => message).join()
  })

describe("readPostUrl", () => {
  it.each([
    ["https://x.com/acme/status/123", "123", "acme"],
    ["https://mobile.twitter.com/acme/status/123/photo/1?s=20", "123", "acme"],
    ["https://x.com/i/status/123", "123", undefined],
    ["https://x.com/i/web/status/123", "123", undefined]
  ])("Of %s the id is read, and the account unless X leaves it out", (url, key, account) => {
    const post = read("twitter", url)
    assert.deepStrictEqual([post.key, post.account], [key, account])
  })

  it.each([
    "https://x.com/acme/status/0123",
    "https://x.com/a/b/status/1",
    "https://x.com/acme/status/12345678901234567890"
  ])("%s is no address that X gives to a post", (url) => {
    assert.isTrue(Result.isFailure(readPostUrl("twitter", url)))
  })

  it("The address that a sandbox gives is read there, and nowhere else", () => {
    const url = `${site}/demo/status/123`
    const post = Result.getOrThrow(readPostUrl("twitter", url, site))
    assert.deepInclude(post, { url, key: "123", account: "demo" })
    assert.isTrue(Result.isFailure(readPostUrl("twitter", url)))
    for (const other of [
      "http://127.0.0.1:3000/sandbox/twitterx/demo/status/1",
      "http://127.0.0.1/sandbox/twitter/demo/status/1"
    ]) {
      assert.isTrue(Result.isFailure(readPostUrl("twitter", other, site)), other)
    }
    assert.isTrue(Result.isSuccess(readPostUrl("twitter", "https://x.com/acme/status/1", site)))
  })
})

describe("checkAccount", () => {
  it("A handle is compared without its case, and one that is not known is refused with an address that needs none", () => {
    const acme = { accountId: "42", username: "Acme" }
    assert.strictEqual(refusal("twitter", acme, "https://x.com/aCME/status/1"), "")
    assert.strictEqual(refusal("twitter", acme, "https://x.com/i/status/1"), "")
    const other = refusal("twitter", acme, "https://x.com/somebody/status/1")
    assert.include(other, "@somebody")
    assert.include(other, "https://x.com/i/status/1")
    const lasting = refusal("bluesky", ada, "https://bsky.app/profile/eve.example/post/3k")
    assert.include(lasting, `https://bsky.app/profile/${did}/post/3k`)
  })

  it("On Bluesky the account's own DID is right whatever its handle, and another DID never is", () => {
    assert.strictEqual(refusal("bluesky", ada, `https://bsky.app/profile/${did}/post/3k`), "")
    assert.strictEqual(refusal("bluesky", ada, `https://bsky.app/profile/${encodeURIComponent(did)}/post/3k`), "")
    assert.strictEqual(refusal("bluesky", ada, "https://bsky.app/profile/Ada.example/post/3k"), "")
    const unknown = { ...ada, username: null }
    assert.include(refusal("bluesky", unknown, "https://bsky.app/profile/did:plc:eve/post/3k"), "did:plc:eve")
  })

  it("Where the handle of the account is not known, none is refused", () => {
    assert.strictEqual(refusal("twitter", { accountId: "42", username: null }, "https://x.com/any/status/1"), "")
  })
})

describe("checkAge", () => {
  const created = Date.UTC(2030, 0, 31)
  const hex = created.toString(16).padStart(12, "0")
  const id = PostId.make(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`)
  const isRefused = (key: string, post = id) =>
    Result.isFailure(checkAge("twitter", post, read("twitter", `https://x.com/acme/status/${key}`)))

  it("A post on X from before the post here was created is refused, with an hour for clocks that differ", () => {
    const hour = 3_600_000
    assert.isTrue(isRefused(tweetId(created - hour - 1, 0)))
    assert.isTrue(isRefused("20"))
    assert.isFalse(isRefused(tweetId(created - hour, 0)))
    assert.isFalse(isRefused(tweetId(created + hour, 0)))
  })

  it("An id that tells no time refuses none", () => {
    assert.isFalse(isRefused("20", PostId.make("ffffffff-ffff-4fff-bfff-ffffffffffff")))
  })
})

describe("targetIdsOfKey", () => {
  it("The target of a record is among those that its key says, for each part of a thread", () => {
    for (const target of [
      "01a1fc17-0000-7000-8000-0000000a1b2c",
      "01b8b4dd-1e3a-7fff-bfff-ffffffffffff",
      "01b8b4dd-1e3a-7000-8000-0000000003e7"
    ]) {
      for (const part of [1, 2, 25]) {
        const [from, before] = targetIdsOfKey(recordKey(TargetId.make(target), part)) ?? ["", ""]
        assert.isTrue(from <= target && target < before, `${target} ${part}`)
      }
    }
  })

  it("A key that tells no time has no targets", () => {
    for (const key of ["1", "self", "zzzzzzzzzzzzz", "3n2s4wxk2dw2", "3n2s4wxk2dw201"]) {
      assert.isUndefined(targetIdsOfKey(key), key)
    }
  })
})
