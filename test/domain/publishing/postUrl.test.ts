import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPostUrl } from "../../../src/domain/publishing/postUrl.ts"

const site = "http://127.0.0.1:3000/sandbox/twitter"

const read = (platform: "twitter" | "bluesky", url: string) => Result.getOrThrow(readPostUrl(platform, url))

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
