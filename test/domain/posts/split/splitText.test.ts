import { assert, describe, it } from "@effect/vitest"
import type { Platform } from "../../../../src/domain/platform.ts"
import { type SplitOrder, splitSteps } from "../../../../src/domain/posts/split/splitText.ts"
import { makeRules } from "../../../../src/platforms/rules.ts"
import { splitText } from "../../../support/plans.ts"
import { finishSteps } from "../../../support/steps.ts"

const both: ReadonlyArray<Platform> = ["twitter", "bluesky"]

const split = (content: string, order: Partial<SplitOrder> = {}) =>
  splitText({ content, platforms: both, numbering: "none", maxParts: 25, ...order })

const textsOf = (content: string, order: Partial<SplitOrder> = {}) =>
  split(content, order).parts.map((part) => part.content)

/** A sentence of so many characters. */
const sentence = (length: number, letter = "a") => `${letter.toUpperCase()}${letter.repeat(length - 2)}.`

const words = (count: number, word = "word") => Array.from({ length: count }, () => word).join(" ")

describe("where a text is split", () => {
  it("A text that fits is one part, as it is", () => {
    assert.deepStrictEqual(split("  Hello\n\nworld \n"), {
      parts: [{ content: "Hello\n\nworld" }],
      per_platform: [
        { platform: "twitter", parts: [{ text: "Hello\n\nworld", length: 12, limit: 280 }] },
        { platform: "bluesky", parts: [{ text: "Hello\n\nworld", length: 12, limit: 300 }] }
      ],
      fits: true
    })
  })

  it("Paragraphs that fit stay whole, as many in a part as fit", () => {
    const [a, b, c] = [sentence(100), sentence(150, "b"), `${sentence(100, "c")} ${sentence(150, "d")}`]
    assert.deepStrictEqual(textsOf([a, b, c].join("\n\n")), [`${a}\n\n${b}`, c])
  })

  it("Of a longer paragraph each line stays whole", () => {
    const lines = ["a", "b", "c"].map((letter) => `${sentence(60, letter)} ${sentence(60, letter)}`)
    assert.deepStrictEqual(textsOf(lines.join("\n")), [lines.slice(0, 2).join("\n"), lines[2]])
  })

  it("A paragraph of several lines that fits is not cut at a line", () => {
    const [a, b, c] = [sentence(100), sentence(120, "b"), sentence(120, "c")]
    assert.deepStrictEqual(textsOf(`${a}\n\n${b}\n${c}`), [a, `${b}\n${c}`])
  })

  it("Of a longer line each sentence stays whole, and of a longer sentence each word", () => {
    const [a, b, c] = [sentence(150), sentence(120, "b"), words(80)]
    const parts = textsOf(`${a} ${b} ${c}.`)
    assert.strictEqual(parts[0], `${a} ${b} word`)
    assert.strictEqual(parts.join(" "), `${a} ${b} ${c}.`)
  })

  it("A paragraph that is longer than a part begins in the part before it, at a sentence", () => {
    const [a, b, c] = [sentence(200), sentence(50, "b"), sentence(260, "c")]
    assert.deepStrictEqual(textsOf(`${a}\n\n${b} ${c}`), [`${a}\n\n${b}`, c])
  })

  it("A word is cut where it does not fit by itself, between characters", () => {
    const family = "👨‍👩‍👧‍👦"
    assert.deepStrictEqual(textsOf("a".repeat(281)), ["a".repeat(280), "a"])
    assert.deepStrictEqual(textsOf(`Look: ${family.repeat(130)}`), ["Look:", family.repeat(120), family.repeat(10)])
  })

  it("Sentences and words of a script without spaces stay whole", () => {
    const sentences = ["吾輩は猫である。", "名前はまだ無い。", "どこで生れたか頓と見当がつかぬ。"]
    const text = sentences.join("").repeat(8)
    const parts = textsOf(text)
    assert.strictEqual(parts.join(""), text)
    for (const part of parts) assert.match(part, /^[吾名ど].*。$/u)
    for (const part of textsOf("インターネット".repeat(60))) assert.match(part, /^インターネット.*インターネット$/u)
  })

  it.each([
    ["a link", "https://example.com/a/path?of=a&long=query#and-fragment"],
    ["a link whose query ends a sentence", "https://example.com/?Who!What?Where"],
    ["a mention", "@somebody.example.com"],
    ["a hashtag", "#日本語のタグ"],
    ["a cashtag", "$ACME"]
  ])("%s is not cut", (_, entity) => {
    for (let before = 255; before <= 285; before++) {
      const parts = textsOf(`${"a".repeat(before)} ${entity} ${words(30)}`)
      assert.strictEqual(parts.filter((part) => part.split(/\s/).includes(entity)).length, 1)
    }
  })

  it("Punctuation that closes does not begin a part", () => {
    for (let before = 0; before < 16; before++) {
      const parts = textsOf(`${"a".repeat(before)}${"インターネット、".repeat(40)}`)
      assert.lengthOf(parts, 3)
      for (const part of parts) assert.notMatch(part, /^、/u)
    }
  })

  it("A link in a word that is too long is not cut", () => {
    const link = "https://example.com/release"
    for (let before = 250; before < 280; before++) {
      const parts = textsOf(`${"-".repeat(before)}(${link})${"-".repeat(50)}`)
      assert.strictEqual(parts.filter((part) => part.includes(link)).length, 1)
    }
  })

  it("A link among characters without spaces is not cut", () => {
    const link = "https://example.com/release"
    for (let before = 120; before <= 145; before++) {
      const parts = textsOf(`${"漢".repeat(before)}${link}${"漢".repeat(20)}`, { platforms: ["twitter"] })
      assert.strictEqual(parts.filter((part) => part.includes(link)).length, 1)
    }
  })

  it("A mark on white space stays with it", () => {
    for (const part of textsOf(`a \u0301`.repeat(200))) assert.notMatch(part, /^\u0301/u)
  })

  it("A link counts as its platforms count it, so that a part may have many characters", () => {
    const link = `https://example.com/${"a".repeat(1000)}`
    const parts = textsOf(words(20, link))
    assert.deepStrictEqual(
      parts.map((part) => part.split(" ").length),
      [9, 9, 2]
    )
  })

  it("A part has no more characters than the text of a post", () => {
    const link = `https://example.com/${"a".repeat(2000)}`
    const { fits, parts } = split(words(10, link))
    assert.isTrue(fits)
    for (const { content } of parts) assert.isAtMost(content.length, 10_000)
    assert.lengthOf(parts, 3)
  })
})

describe("a line of three hyphens", () => {
  it.each(["a\n---\nb", "a\r\n---\r\nb", "a\n\n --- \t\n\nb", "---\na\n---\n---\nb\n---", "---\n\na\n---\nb"])(
    "A part ends at it, and it is left out: %j",
    (text) => {
      const { fits, parts } = split(text)
      assert.deepStrictEqual(parts, [{ content: "a" }, { content: "b" }])
      assert.isTrue(fits)
    }
  )

  it.each(["a --- b", "a\n----\nb", "a\n--\nb", "a\n--- b", "a\n- - -\nb"])("Other hyphens are text: %j", (text) => {
    assert.deepStrictEqual(textsOf(text), [text])
  })
})

describe("platforms", () => {
  it("Each part is within the smallest limit of the platforms", () => {
    assert.deepStrictEqual(textsOf("漢".repeat(300), { platforms: ["bluesky"] }), ["漢".repeat(300)])
    assert.lengthOf(textsOf("漢".repeat(300)), 3)
    assert.lengthOf(textsOf("a".repeat(281), { platforms: ["bluesky"] }), 1)
    assert.lengthOf(textsOf("a".repeat(281), { platforms: ["youtube", "twitter"] }), 2)
  })

  const inReview = (content: string, platforms: ReadonlyArray<Platform>) =>
    finishSteps(splitSteps(makeRules(), { content, platforms, numbering: "none", maxParts: 25 }))

  it("The lengths are those of the platforms that are enabled, in the order of the request", () => {
    const { per_platform } = inReview("日本", ["bluesky", "youtube", "twitter"])
    assert.deepStrictEqual(per_platform, [
      { platform: "bluesky", parts: [{ text: "日本", length: 2, limit: 300 }] },
      { platform: "twitter", parts: [{ text: "日本", length: 4, limit: 280 }] }
    ])
  })

  it("Without an enabled platform a part is as long as the text of a post may be", () => {
    assert.deepStrictEqual(inReview("a".repeat(10_000), ["youtube"]), {
      parts: [{ content: "a".repeat(10_000) }],
      per_platform: [],
      fits: true
    })
    assert.lengthOf(inReview("a".repeat(10_001), ["youtube"]).parts, 2)
  })
})

describe("numbers", () => {
  it("Each part ends in its number, which counts", () => {
    const { fits, parts, per_platform } = split("a".repeat(300), { numbering: "suffix" })
    assert.deepStrictEqual(parts, [{ content: `${"a".repeat(276)} 1/2` }, { content: `${"a".repeat(24)} 2/2` }])
    assert.deepStrictEqual(
      per_platform[0]?.parts.map(({ length }) => length),
      [280, 28]
    )
    assert.isTrue(fits)
  })

  it("A part alone has no number, even if it would not fit with one", () => {
    assert.deepStrictEqual(textsOf("a".repeat(280), { numbering: "suffix" }), ["a".repeat(280)])
  })

  it("Numbers of two digits have the room that they need", () => {
    const { fits, parts } = split("a".repeat(280 * 10), { numbering: "suffix" })
    assert.lengthOf(parts, 11)
    assert.isTrue(fits)
    assert.strictEqual(parts[8]?.content, `${"a".repeat(275)} 9/11`)
    assert.strictEqual(parts[9]?.content, `${"a".repeat(274)} 10/11`)
  })

  it("The last of the parts has its number too if the text does not fit into them", () => {
    const { fits, parts } = split("a".repeat(800), { numbering: "suffix", maxParts: 2 })
    assert.deepStrictEqual(
      parts.map(({ content }) => content.length),
      [280, 800 - 276 + 4]
    )
    assert.isFalse(fits)
    assert.isTrue(parts[1]?.content.endsWith(" 2/2"))
  })
})

describe("a text that does not fit", () => {
  it("The last part has all that is left, as it was written", () => {
    const { fits, parts } = split("a\n---\nb\n---\nc \n", { maxParts: 2 })
    assert.deepStrictEqual(parts, [{ content: "a" }, { content: "b\n---\nc" }])
    assert.isFalse(fits)
  })

  it("Its length is that of all that is left", () => {
    const { fits, per_platform } = split("a".repeat(1000), { maxParts: 3 })
    assert.isFalse(fits)
    assert.deepStrictEqual(
      per_platform[1]?.parts.map(({ length }) => length),
      [280, 280, 440]
    )
  })

  it("A character that is too long is a part by itself", () => {
    const character = `a${"\u0301".repeat(2000)}`
    const { fits, parts } = split(`b ${character} c`)
    assert.deepStrictEqual(parts, [{ content: "b" }, { content: character }, { content: "c" }])
    assert.isFalse(fits)
  })
})
