import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkAccount } from "../../../src/domain/publishing/namedPost.ts"
import { readPostUrl } from "../../../src/domain/publishing/postUrl.ts"
import { rules } from "../../support/plans.ts"

const did = "did:plc:ada"
const ada = { accountId: did, username: "ada.example" }

const read = (platform: "twitter" | "bluesky", url: string) => Result.getOrThrow(readPostUrl(platform, url))

/** Why a URL is not one of an account. */
const refusal = (platform: "twitter" | "bluesky", account: Parameters<typeof checkAccount>[2], url: string) =>
  Result.match(checkAccount(rules, platform, account, read(platform, url)), {
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
