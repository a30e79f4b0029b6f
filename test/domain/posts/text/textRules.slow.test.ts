import { assert, describe, it } from "@effect/vitest"
import twitterText from "twitter-text"
import { isBlank } from "../../../../src/domain/plain/blankText.ts"
import { measureText, explainRefusal } from "../../../../src/domain/posts/text/textRules.ts"
import { cpuMillis } from "../../../support/cpuTime.ts"

const mebibyte = 1024 * 1024
/** In milliseconds: far more than linear time takes, far less than quadratic time. */
const timeLimit = 10_000

const fill = (unit: string) => unit.repeat(Math.ceil(mebibyte / unit.length))

describe("measureText for X", () => {
  it.each([
    ["Latin letters once", "a".repeat(280), 280],
    ["Chinese characters twice", "漢".repeat(140), 280],
    ["an emoji of many parts twice", "👨‍👩‍👧‍👦", 2],
    ["a link as 23, however long", `https://example.com/${"a".repeat(1000)}`, 23],
    ["an address without a scheme as a link too", "see example.com", 27],
    ["the text around a link", "a https://example.com b", 27]
  ])("X counts %s", (_, text, length) => {
    assert.deepStrictEqual(measureText("twitter", text), { length, limit: 280, valid: true })
  })

  it("X counts white space and line breaks as they are written", () => {
    assert.strictEqual(measureText("twitter", "a\n\n\n\nb  ").length, 8)
  })

  it("X accepts 280 characters and refuses 281", () => {
    assert.isTrue(measureText("twitter", "a".repeat(280)).valid)
    assert.deepStrictEqual(measureText("twitter", "a".repeat(281)), { length: 281, limit: 280, valid: false })
  })

  it.each([
    ["an empty text", ""],
    ["white space", " \n\t"],
    ["a byte order mark", "a\ufeff"],
    ["a non-character", "a\ufffe"]
  ])("X refuses %s", (_, text) => assert.isFalse(measureText("twitter", text).valid))

  it("A long text has the length that twitter-text counts", () => {
    const text = `${"word 漢字 👍🏽 https://example.com/path?x=1 #tag ".repeat(100)}end`
    assert.isAbove(text.length, 4400)
    assert.strictEqual(measureText("twitter", text).length, twitterText.parseTweet(text).weightedLength)
  })
})

describe("explainRefusal for X", () => {
  it.each([
    ["two cashtags", "$AAPL and $TSLA", "twitter takes one cashtag, this has 2: $AAPL, $TSLA"],
    ["the same one twice", "$AAPL, $AAPL", "twitter takes one cashtag, this has 2: $AAPL, $AAPL"]
  ])("X takes no text with %s, except from an enterprise", (_, text, message) => {
    assert.strictEqual(explainRefusal("twitter", text), message)
    assert.isUndefined(explainRefusal("twitter", text, false, "enterprise"))
    assert.isUndefined(explainRefusal("bluesky", text))
  })

  it.each(["$AAPL rises", "$20 and $30", "US$AAPL $TSLA", "https://example.com/$AAPL/$TSLA $GOOG"])(
    "X takes what has one cashtag at most: %s",
    (text) => assert.isUndefined(explainRefusal("twitter", text))
  )
})

describe("measureText for Bluesky", () => {
  it.each([
    ["graphemes", "👨‍👩‍👧‍👦é漢".repeat(50), 150],
    ["a long link as it is displayed", `https://example.com/${"a".repeat(1000)}`, 27],
    ["a flag as one", "🇳🇴", 1],
    ["no white space at the end", `a${" \n".repeat(1000)}`, 1],
    ["a CRLF as one, and more than two line breaks as two", `a\r\n${"b\r\n\r\n\r\n".repeat(2)}c`, 9]
  ])("Bluesky counts %s", (_, text, length) => {
    assert.deepStrictEqual(measureText("bluesky", text), { length, limit: 300, valid: true })
  })

  it("Bluesky accepts 300 graphemes and refuses 301", () => {
    assert.isTrue(measureText("bluesky", "é".repeat(300)).valid)
    assert.deepStrictEqual(measureText("bluesky", "é".repeat(301)), { length: 301, limit: 300, valid: false })
  })

  it("The length is in bytes if only the byte limit is exceeded", () => {
    const family = "👨‍👩‍👧‍👦"
    const most = Math.floor(3000 / 25)
    assert.isTrue(measureText("bluesky", family.repeat(most)).valid)
    assert.deepStrictEqual(measureText("bluesky", family.repeat(most + 1)), { length: 3025, limit: 3000, valid: false })
  })

  it("The length is in graphemes if both limits are exceeded", () => {
    assert.deepStrictEqual(measureText("bluesky", "👍🏽".repeat(400)), { length: 400, limit: 300, valid: false })
  })

  it.each([
    ["an empty text", ""],
    ["white space", " \n\t"]
  ])("Bluesky refuses %s", (_, text) => assert.isFalse(measureText("bluesky", text).valid))
})

describe("measureText for a hostile text of 1 MiB", () => {
  it.each([
    "a",
    "a.",
    "é.",
    "a-",
    "漢",
    "@",
    "@a.com ",
    "(@",
    "(",
    "()",
    "#",
    "#a ",
    "#1",
    "# ",
    "$A ",
    "($A",
    ".",
    "#a.",
    " ",
    "\n",
    "\r\n",
    "http://",
    "http://a.com/b ",
    "http://a.com/(",
    "a.com",
    "a.com/",
    "a.com/\ufe0f",
    "a.com ",
    "xn--",
    "👨‍👩‍👧‍👦",
    "👨\u200d",
    "\u200d",
    "e\u0301",
    "\ud83d"
  ])("A text of repeated %j is measured as too long within the time limit", (unit) => {
    const text = fill(unit)
    const taken = cpuMillis(() => {
      const blank = isBlank(text)
      for (const platform of ["twitter", "bluesky"] as const) {
        const measure = measureText(platform, text)
        assert.isFalse(measure.valid)
        assert.isTrue(blank || measure.length > measure.limit)
      }
    })
    assert.isBelow(taken, timeLimit)
  })

  it("Line breaks and what stands between them are counted within the time limit", () => {
    const taken = cpuMillis(() => {
      measureText("bluesky", `a${fill("\n \u200b")}a`)
      measureText("bluesky", `a\n${fill(" ")}a`)
    })
    assert.isBelow(taken, timeLimit)
  })

  it("Slow words beside a link are counted within the time limit", () => {
    const taken = cpuMillis(() => {
      measureText("twitter", `https://example.com/${"漢".repeat(4000)}\n`.repeat(250))
      measureText("twitter", "a.".repeat(2100).concat("com ").repeat(250))
    })
    assert.isBelow(taken, timeLimit)
  })
})

describe("explainRefusal", () => {
  it.each(["twitter", "bluesky"] as const)("A blank text is refused on %s", (platform) => {
    assert.strictEqual(explainRefusal(platform, " \n"), "Expected a text that is not blank")
  })

  it.each(["\ufeff", "\ufffe", "\uffff"])("X refuses the character %j whatever the length", (character) => {
    assert.include(explainRefusal("twitter", `Hello${character}`), "twitter takes no byte order mark")
    assert.isUndefined(explainRefusal("bluesky", `Hello${character}`))
  })

  it("A text that is only too long is not refused", () =>
    assert.isUndefined(explainRefusal("twitter", "a".repeat(281))))
})
