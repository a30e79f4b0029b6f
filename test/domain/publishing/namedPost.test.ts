import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { PostId } from "../../../src/domain/ids.ts"
import { checkAccount, checkAge, checkOrder } from "../../../src/domain/publishing/namedPost.ts"
import { readPostUrl } from "../../../src/domain/publishing/postUrl.ts"
import { tweetId } from "../../../src/platforms/twitter/standIn/tweet.ts"

const did = "did:plc:ada"
const ada = { accountId: did, username: "ada.example" }

const read = (platform: "twitter" | "bluesky", url: string) => Result.getOrThrow(readPostUrl(platform, url))

/** Why a URL is not one of an account. */
const refusal = (platform: "twitter" | "bluesky", account: Parameters<typeof checkAccount>[1], url: string) =>
  Result.match(checkAccount(platform, account, read(platform, url)), {
    onSuccess: () => "",
    onFailure: ({ errors }) => errors.map(({ message }) => message).join()
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

describe("checkOrder", () => {
  const isRefused = (platform: "twitter" | "bluesky", parentId: string | null, url: string) =>
    Result.isFailure(checkOrder(platform, parentId, read(platform, url)))

  it("A part on X is newer than the one before it, whatever the length of its id, and other posts have none before them", () => {
    assert.isTrue(isRefused("twitter", "1000", "https://x.com/i/status/999"))
    assert.isTrue(isRefused("twitter", "1000", "https://x.com/i/status/1000"))
    assert.isFalse(isRefused("twitter", "999", "https://x.com/i/status/1000"))
    assert.isFalse(isRefused("twitter", null, "https://x.com/i/status/1"))
    assert.isFalse(isRefused("bluesky", "3lz", "https://bsky.app/profile/did:plc:ada/post/3la"))
  })
})
