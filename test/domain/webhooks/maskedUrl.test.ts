import { assert, describe, it } from "@effect/vitest"
import { isMaskedUrl, isShownUrl, maskUrl } from "../../../src/domain/webhooks/maskedUrl.ts"

describe("maskUrl", () => {
  it.each([
    ["https://hooks.example", "https://hooks.example"],
    ["https://hooks.example/", "https://hooks.example"],
    ["https://hooks.example/a", "https://hooks.example/…"],
    ["https://hooks.example/?token=a", "https://hooks.example/…"],
    ["https://hooks.example/#a", "https://hooks.example/…"],
    ["https://hooks.example/1234567890123456789", "https://hooks.example/…"],
    ["https://hooks.example/12345678901234567890", "https://hooks.example/…7890"],
    ["https://hooks.example/a?token=123456789012", "https://hooks.example/…9012"],
    ["http://127.0.0.1:9000/a", "http://127.0.0.1:9000/…"],
    ["https://user:password@hooks.example/", "https://hooks.example"],
    ["nonsense", "…"]
  ])("%s is shown as its origin and at most the last four characters of a long rest", (url, shown) => {
    assert.strictEqual(maskUrl(url), shown)
  })
})

describe("isMaskedUrl", () => {
  it("What is shown of a URL with a path is known from a whole URL, however it is encoded", () => {
    const masked = maskUrl("https://hooks.example/12345678901234567890")
    assert.isTrue(isMaskedUrl(masked))
    assert.isTrue(isMaskedUrl(encodeURI(masked)))
    assert.isFalse(isMaskedUrl("https://hooks.example/12345678901234567890"))
    assert.isFalse(isMaskedUrl("https://hooks.example/a…"))
  })
})

describe("isShownUrl", () => {
  it("A client may send back what it was shown, as it was or encoded, and nothing else", () => {
    const masked = maskUrl("https://hooks.example/12345678901234567890")
    assert.isTrue(isShownUrl(masked, masked))
    assert.isTrue(isShownUrl(encodeURI(masked), masked))
    assert.isTrue(isShownUrl("https://hooks.example", maskUrl("https://hooks.example/")))
    assert.isFalse(isShownUrl("https://hooks.example/…", masked))
    assert.isFalse(isShownUrl("https://other.example/…7890", masked))
    assert.isFalse(isShownUrl("https://hooks.example/12345678901234567890", masked))
  })
})
