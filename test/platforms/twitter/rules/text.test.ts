import { assert, describe, it } from "@effect/vitest"
import twitterText from "twitter-text"
import { explainRefusal, measureText } from "../../../../src/domain/posts/text/textRules.ts"
import { twitterRules } from "../../../../src/platforms/twitter/rules/rules.ts"

const twitter = twitterRules("self-serve")

describe("measureText for X", () => {
  it.each([
    ["Latin letters once", "a".repeat(280), 280],
    ["Chinese characters twice", "漢".repeat(140), 280],
    ["an emoji of many parts twice", "👨‍👩‍👧‍👦", 2],
    ["a link as 23, however long", `https://example.com/${"a".repeat(1000)}`, 23],
    ["an address without a scheme as a link too", "see example.com", 27],
    ["the text around a link", "a https://example.com b", 27]
  ])("X counts %s", (_, text, length) => {
    assert.deepStrictEqual(measureText(twitter, text), { length, limit: 280, valid: true })
  })

  it("X counts white space and line breaks as they are written", () => {
    assert.strictEqual(measureText(twitter, "a\n\n\n\nb  ").length, 8)
  })

  it("X accepts 280 characters and refuses 281", () => {
    assert.isTrue(measureText(twitter, "a".repeat(280)).valid)
    assert.deepStrictEqual(measureText(twitter, "a".repeat(281)), { length: 281, limit: 280, valid: false })
  })

  it.each([
    ["an empty text", ""],
    ["white space", " \n\t"],
    ["a byte order mark", "a\ufeff"],
    ["a non-character", "a\ufffe"]
  ])("X refuses %s", (_, text) => assert.isFalse(measureText(twitter, text).valid))

  it("A long text has the length that twitter-text counts", () => {
    const text = `${"word 漢字 👍🏽 https://example.com/path?x=1 #tag ".repeat(100)}end`
    assert.isAbove(text.length, 4400)
    assert.strictEqual(measureText(twitter, text).length, twitterText.parseTweet(text).weightedLength)
  })
})

describe("explainRefusal for X", () => {
  it.each([
    ["two cashtags", "$AAPL and $TSLA", "accepts one cashtag, but this text has 2: $AAPL, $TSLA"],
    ["the same one twice", "$AAPL, $AAPL", "accepts one cashtag, but this text has 2: $AAPL, $AAPL"]
  ])("X takes no text with %s, except from an enterprise", (_, text, reason) => {
    assert.deepStrictEqual(explainRefusal(twitter, text), { code: "text_refused", reason })
    assert.isUndefined(explainRefusal(twitterRules("enterprise"), text))
  })

  it.each(["$AAPL rises", "$20 and $30", "US$AAPL $TSLA", "https://example.com/$AAPL/$TSLA $GOOG"])(
    "X takes what has one cashtag at most: %s",
    (text) => assert.isUndefined(explainRefusal(twitter, text))
  )
})

describe("A character that X refuses", () => {
  it.each(["\ufeff", "\ufffe", "\uffff"])("X refuses the character %j whatever the length", (character) => {
    assert.deepStrictEqual(explainRefusal(twitter, `Hello${character}`), {
      code: "text_refused",
      reason: "does not accept byte order marks or non-characters (U+FEFF, U+FFFE, U+FFFF)"
    })
  })

  it("A text that is only too long is not refused", () => assert.isUndefined(explainRefusal(twitter, "a".repeat(281))))
})
