import { assert, describe, it } from "@effect/vitest"
import { explainRefusal, measureText } from "../../../../src/domain/posts/text/textRules.ts"
import { blueskyRules } from "../../../../src/platforms/bluesky/rules/rules.ts"

describe("measureText for Bluesky", () => {
  it.each([
    ["graphemes", "👨‍👩‍👧‍👦é漢".repeat(50), 150],
    ["a long link as it is displayed", `https://example.com/${"a".repeat(1000)}`, 27],
    ["a flag as one", "🇳🇴", 1],
    ["no white space at the end", `a${" \n".repeat(1000)}`, 1],
    ["a CRLF as one, and more than two line breaks as two", `a\r\n${"b\r\n\r\n\r\n".repeat(2)}c`, 9]
  ])("Bluesky counts %s", (_, text, length) => {
    assert.deepStrictEqual(measureText(blueskyRules, text), { length, limit: 300, valid: true })
  })

  it("Bluesky accepts 300 graphemes and refuses 301", () => {
    assert.isTrue(measureText(blueskyRules, "é".repeat(300)).valid)
    assert.deepStrictEqual(measureText(blueskyRules, "é".repeat(301)), { length: 301, limit: 300, valid: false })
  })

  it("The length is in bytes if only the byte limit is exceeded", () => {
    const family = "👨‍👩‍👧‍👦"
    const most = Math.floor(3000 / 25)
    assert.isTrue(measureText(blueskyRules, family.repeat(most)).valid)
    assert.deepStrictEqual(measureText(blueskyRules, family.repeat(most + 1)), {
      length: 3025,
      limit: 3000,
      valid: false,
      unit: "bytes"
    })
  })

  it("The length is in graphemes if both limits are exceeded", () => {
    assert.deepStrictEqual(measureText(blueskyRules, "👍🏽".repeat(400)), { length: 400, limit: 300, valid: false })
  })

  it.each([
    ["an empty text", ""],
    ["white space", " \n\t"]
  ])("Bluesky refuses %s", (_, text) => assert.isFalse(measureText(blueskyRules, text).valid))
})

describe("explainRefusal for Bluesky", () => {
  it.each(["Hello\ufeff", "$AAPL and $TSLA"])("Bluesky takes a text that X refuses: %j", (text) => {
    assert.isUndefined(explainRefusal(blueskyRules, text))
  })
})
