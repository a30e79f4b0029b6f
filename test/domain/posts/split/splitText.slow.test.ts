import { assert, describe, it } from "@effect/vitest"
import twitterText from "twitter-text"
import type { LivePlatform } from "../../../../src/domain/platform.ts"
import { isBlank } from "../../../../src/domain/plain/blankText.ts"
import { findEntities } from "../../../../src/domain/posts/text/entities.ts"
import { measureText } from "../../../../src/domain/posts/text/textRules.ts"
import { seededRandom } from "../../../support/generated/seededRandom.ts"
import { cpuMillis } from "../../../support/cpuTime.ts"
import { rules, splitText } from "../../../support/plans.ts"

const tokens = [
  "word",
  "Sentence.",
  "Who?",
  "e.g.",
  "a",
  "naïve",
  "e\u0301",
  "👍🏽",
  "👨‍👩‍👧‍👦",
  "🇳🇴🇸🇪",
  "❤️",
  "5️⃣",
  "漢字",
  "これはペンです。",
  "東京都",
  "「引用」",
  "ภาษาไทย",
  "한국어",
  "שלום",
  "مرحبا بالعالم",
  "\u202bعربي\u202c",
  "नमस्ते",
  "Z\u0351\u036b\u0343algo",
  "https://example.com/a/long/path?with=a&query=string#fragment",
  "https://example.com/?Who!What",
  "http://日本語.jp/",
  "example.org",
  "(https://example.net/x)",
  "@somebody",
  "@somebody.bsky.social",
  "#hashtag",
  "#日本語",
  "＃全角",
  "$ACME",
  "me@example.com",
  "---",
  "\u200b",
  "\u200d",
  "\u0301"
]
const spaces = [
  " ",
  " ",
  " ",
  " ",
  "",
  "",
  "\n",
  "\n\n",
  "\r\n",
  "\r\n\r\n",
  "\n---\n",
  "\u3000",
  "\u00a0",
  "\u2029",
  "\t"
]

const pick = <Value>(random: () => number, values: ReadonlyArray<Value>): Value => {
  const value = values[Math.floor(random() * values.length)]
  assert.isDefined(value)
  return value
}

const randomText = (random: () => number): string => {
  const count = 1 + Math.floor(random() ** 3 * 160)
  // Some texts repeat few tokens, so that long words without spaces and long paragraphs come up.
  const own = random() < 0.3 ? [pick(random, tokens), pick(random, tokens)] : tokens
  const gaps = random() < 0.3 ? ["", "", "", pick(random, spaces)] : spaces
  return Array.from({ length: count }, () => `${pick(random, own)}${pick(random, gaps)}`).join("")
}

/** The text without the lines that are breaks, and without what between them nobody would see. */
const withoutBreakLines = (text: string) =>
  text
    .split(/^[^\S\r\n\u2028\u2029]*---[^\S\r\n\u2028\u2029]*$/m)
    .filter((section) => !isBlank(section))
    .join("")
const withoutSpaces = (text: string) => text.replaceAll(/\s/g, "")

const fitsOn = (platforms: ReadonlyArray<LivePlatform>, text: string) =>
  platforms.every((platform) => {
    const { length, limit } = measureText(rules[platform], text)
    return length <= limit
  })

/** Where each part begins and ends in the text. */
const findPlaces = (content: string, parts: ReadonlyArray<string>) => {
  let read = 0
  return parts.map((part) => {
    const start = content.indexOf(part, read)
    assert.isAtLeast(start, 0)
    // Nothing that can be seen is left out but lines that are breaks.
    assert.isTrue(isBlank(content.slice(read, start).replaceAll("---", "")))
    read = start + part.length
    return { start, end: read }
  })
}

const entitiesOf = (text: string) => [
  ...findEntities(text),
  ...twitterText.extractEntitiesWithIndices(text).map(({ indices: [start, end] }) => ({ start, end }))
]

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

const platformSets: ReadonlyArray<ReadonlyArray<LivePlatform>> = [["twitter", "bluesky"], ["twitter"], ["bluesky"]]

describe("the split of random texts", () => {
  it.each([0, 1250])(
    "The parts of 1,250 texts, from seed %i on, have all characters in order, fit, are numbered, and cut no link, tag or character",
    (first) => {
      let parts = 0
      for (let seed = first; seed < first + 1250; seed++) {
        const random = seededRandom(seed)
        const content = randomText(random)
        const platforms = pick(random, platformSets)
        const numbering = pick(random, ["none", "suffix"] as const)
        const maxParts = pick(random, [25, 25, 25, 5, 1])
        if (withoutSpaces(withoutBreakLines(content)) === "") continue
        const message = `seed ${seed}`
        const split = splitText({ content, platforms, numbering, maxParts })
        const { length } = split.parts
        parts += length
        assert.isAtMost(length, maxParts, message)
        const texts = split.parts.map(({ content: text }, index) => {
          if (numbering === "none" || length === 1) return text
          const number = ` ${index + 1}/${length}`
          assert.isTrue(text.endsWith(number), message)
          return text.slice(0, -number.length)
        })
        const [last = ""] = texts.slice(-1)
        const joined = split.fits ? texts : [...texts.slice(0, -1), withoutBreakLines(last)]
        assert.strictEqual(withoutSpaces(joined.join("")), withoutSpaces(withoutBreakLines(content)), message)

        const sound = split.fits ? split.parts : split.parts.slice(0, -1)
        for (const { content: text } of sound) assert.isTrue(fitsOn(platforms, text), message)
        if (!split.fits) assert.isTrue(length === maxParts, message)

        const boundaries = new Set([...graphemes.segment(content)].map(({ index }) => index))
        const entities = entitiesOf(content)
        const places = findPlaces(content, texts)
        for (const at of places.flatMap(({ end, start }) => [start, end])) {
          const isBoundary = boundaries.has(at) || at === content.length || /\s/.test(content.charAt(at))
          assert.isTrue(isBoundary || /\s/.test(content.charAt(at - 1)), `${message}: ${at} is in a character`)
          for (const { end, start } of entities) {
            // In a word of more characters X's links are not looked for.
            if (start >= at || at >= end || end - start > 1000) continue
            assert.isFalse(
              fitsOn(platforms, `${content.slice(start, end)}${numbering === "none" ? "" : " 99/99"}`),
              `${message}: ${at} is in ${content.slice(start, end)}`
            )
          }
        }
      }
      assert.isAbove(parts, 2000)
    }
  )

  it("A paragraph, a line, or a sentence that fits into a part is not cut", () => {
    for (let seed = 0; seed < 500; seed++) {
      const random = seededRandom(seed)
      const sentence = () =>
        `S${Array.from({ length: 1 + Math.floor(random() * 60) }, () => pick(random, ["one", "two", "three"])).join(" ")}.`
      const join = (count: number, separator: string, make: () => string) =>
        Array.from({ length: 1 + Math.floor(random() * count) }, make).join(separator)
      const line = () => join(4, " ", sentence)
      const paragraph = () => join(3, "\n", line)
      const content = join(6, "\n\n", paragraph)
      const split = splitText({ content, platforms: ["twitter"], numbering: "none", maxParts: 25 })
      if (!split.fits) continue
      const texts = split.parts.map((part) => part.content)
      const units = [...content.split("\n\n"), ...content.split(/\n+/), ...content.split(/\n+|(?<=\.) /)]
      for (const unit of units.filter(({ length }) => length <= 280)) {
        assert.isTrue(
          texts.some((text) => text.includes(unit)),
          `seed ${seed}: ${unit}`
        )
      }
    }
  })
})

const bytes = 64_000
/** In milliseconds: ten times what it takes on two cores. */
const timeLimit = 1500
const fill = (unit: string) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))

describe("the split of 64,000 bytes", () => {
  it.each([
    ["a letter", "a"],
    ["letters and spaces", "a "],
    ["words", "word "],
    ["sentences", "A word. "],
    ["lines", "a\n"],
    ["paragraphs", "a\n\n"],
    ["a long paragraph", "This is an ordinary sentence of some words, and it ends here. "],
    ["emoji", "😀"],
    ["emoji of many parts", "👨‍👩‍👧‍👦"],
    ["Chinese", "漢"],
    ["Japanese", "吾輩は猫である。名前はまだ無い。"],
    ["Thai", "ภาษาไทย"],
    ["Arabic", "مرحبا بالعالم "],
    ["links", "https://a.co/x "],
    ["links without spaces", "https://a.co/x"],
    ["domains", "a.co "],
    ["domains in a word", "a.co/"],
    ["mentions", "@a.com "],
    ["mentions in a word", "(@a.com"],
    ["hashtags", "#a "],
    ["hashtags in a word", "#a"],
    ["cashtags", "$A "],
    ["question marks", "?"],
    ["dots", "."],
    ["breaks", "a\n---\n"],
    ["hyphens", "---"],
    ["marks", "e\u0301"],
    ["one mark", "\u0301"],
    ["joiners", "👨\u200d"],
    ["marks on spaces", " \u0301"],
    ["Chinese and links", "漢字https://a.co/x"]
  ])("A text of %s is split within the time limit", (_, unit) => {
    const content = fill(unit)
    for (const numbering of ["none", "suffix"] as const) {
      const taken = cpuMillis(() => {
        const { parts } = splitText({ content, platforms: ["twitter", "bluesky"], numbering, maxParts: 25 })
        assert.isAtLeast(parts.length, 1)
      })
      assert.isBelow(taken, timeLimit)
    }
  })

  it("A text of one long link is split within the time limit", () => {
    const content = `https://a.co/${"a".repeat(bytes)}`
    const taken = cpuMillis(() => {
      splitText({ content, platforms: ["twitter"], numbering: "suffix", maxParts: 25 })
    })
    assert.isBelow(taken, timeLimit)
  })
})
