import { assert, describe, it } from "@effect/vitest"
import twitterText from "twitter-text"
import { weightedLength } from "../../../../src/platforms/twitter/rules/weightedLength.ts"
import { seededRandom } from "../../../support/generated/seededRandom.ts"
import { cpuMillis } from "../../../support/cpuTime.ts"

const counted = (text: string): number => twitterText.parseTweet(text).weightedLength

const words = (lines: string): ReadonlyArray<string> => lines.trim().split(/\s+/)

/** What twitter-text counts as X does. */
const known = [
  ...words(`
    a word é e\u0301 漢字 カタカナ Ünïcödé ﷽ \u200b \u2014 … “quoted” 각 각 ☃ © ® ™ 1 # * @alice #tag $AAPL user@example.com
    👍 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇳🇴 1️⃣ ☺️ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩🏽‍🚀 ©️ ‼️ 🇦 🇦🇦 \u200d \ufe0f 🏽 😀‍😀 😀\ufe0f 漢\ufe0f 🏳‍🌈
    https://example.com http://example.com/a/long/path?x=1#y https://例え.jp/道 https://example.com/é/ü https://пример.рф/путь
    example.com www.example.co.uk/x. example.de example.de/a a.b.click a..com .com com. http:// https://a https://👍.com x.музей
    https://example.com/👍 https://example.com/(a) 例え.みんな https://例え.みんな EXAMPLE.COM http://a.invalid t.co/abc`),
  "\n",
  " ",
  ".",
  "/",
  "(",
  ")",
  ",",
  "-",
  "_",
  "@",
  "漢"
]

/** Emoji that are newer than twitter-text, and top-level domains with an older one of the same length. */
const newer: ReadonlyArray<readonly [string, string]> = [
  ...words("👁️‍🗨️ 🧑🏽‍🚀 🐦‍🔥 🙂‍↔️ 🧑‍🧑‍🧒 🫩 🇨🇶 ❤️‍🔥 🧑‍🩰 🫱🏽 🫱🏽‍🫲🏿 👯🏽‍♂️ 👩🏽‍🤝‍👨🏿").map((emoji) => [emoji, "👍"] as const),
  ["example.music", "example.click"],
  ["https://example.kids/a/long/path/that/is/longer", "https://example.info/a/long/path/that/is/longer"],
  ["EXAMPLE.Amazon/x", "EXAMPLE.museum/x"],
  ["a.spa,", "a.com,"],
  ["user@example.music", "user@example.click"],
  ["@example.spa", "@example.com"],
  ["a.musical", "a.clickal"],
  ["https://例え.アマゾン/x", "https://例え.クラウド/x"]
]

const randomTexts = (seed: number, count: number, pieces: ReadonlyArray<readonly [string, string]>) => {
  const next = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const picked = Array.from(
      { length: 1 + Math.floor(next() * 8) },
      () => [pieces[Math.floor(next() * pieces.length)] ?? ["", ""], next() < 0.5 ? " " : ""] as const
    )
    const join = (index: 0 | 1) => picked.map(([piece, space]) => piece[index] + space).join("")
    return [join(0), join(1)] as const
  })
}

describe("weightedLength", () => {
  it("Random sequences of what emoji consist of count as the longest emoji that Unicode recommends in them", () => {
    const pieces = words(`
      😀 👨 👩 👧 🏽 🏿 👍 🇳 🇴 \ufe0f ❤ \u20e3 5 # 🏴 \u{e0067} \u{e0062} \u{e0065} \u{e006e} \u{e007f} 💻 ♂ 🏳 🌈 ⌚ 🫱 🫲 ⛹ ☝`)
      .concat("\u200d", "\u200d", "a")
      .map((piece) => [piece, piece] as const)
    for (const [text] of randomTexts(29, 2000, pieces)) {
      const simple = text
        .normalize("NFC")
        .replaceAll(/\p{RGI_Emoji}/gv, (found) => (/^[#\d]/.test(found) ? found : "🍕"))
      assert.strictEqual(weightedLength(text), weightedLength(simple), JSON.stringify(text))
    }
  })

  it("Random texts of what twitter-text knows have the length that it counts", () => {
    const pieces = known.map((piece) => [piece, piece] as const)
    for (const [text] of randomTexts(28, 20_000, pieces)) {
      assert.strictEqual(weightedLength(text), counted(text), JSON.stringify(text))
    }
  })

  it("Random texts of ASCII have the length that twitter-text counts, with and without links", () => {
    const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
    const pieces =
      words(`. .. ... a. .a 1. .1 3.5 a-b _ / // : ; , ! ? ( ) [ ] @ # $ % & + = ~ * ^ " ' ' \\ { } | < > com COM co.uk xn--p1ai
      xn--90ae www example example. .example .com .COM .de .xn--p1ai http:// HTTPS:// https:// http https t.co t.co/ a@b.c 127.0.0.1`)
        .concat(" ", "\x7f", ...control)
        .map((piece) => [piece, piece] as const)
    let parsed = 0
    for (const [text] of randomTexts(31, 20_000, pieces)) {
      assert.strictEqual(weightedLength(text), counted(text), JSON.stringify(text))
      if (counted(text) !== text.length) parsed++
    }
    assert.isAbove(parsed, 500)
  })

  it("Newer emoji and top-level domains count as older ones do, whatever is beside them", () => {
    const beside = words("a 漢 word, é 👍 (x) https://example.com/a #tag").map((piece) => [piece, piece] as const)
    for (const [text, older] of randomTexts(29, 5000, [...newer, ...beside])) {
      assert.strictEqual(weightedLength(text), counted(older), JSON.stringify(text))
    }
  })

  it.each([
    ["a newer emoji of several", "🐦‍🔥", 2],
    ["a hundred and forty emoji of many parts in one word", "👨‍👩‍👧‍👦".repeat(140), 280],
    ["a word of emoji with a link in it", `${"👨‍👩‍👧‍👦".repeat(100)}https://example.com/a`, 223],
    ["a link with a newer top-level domain", "https://example.music/a/rather/long/path", 23],
    ["a short link with a newer top-level domain", "a.spa", 23],
    ["an emoji without its variation selectors, code point by code point", "🏳‍🌈", 5]
  ])("X counts %s", (_, text, length) => assert.strictEqual(weightedLength(text), length))

  it("A text of ten thousand characters is counted quickly, whatever it is made of", () => {
    const units = [
      "👨‍",
      "🇳",
      "👨‍👩‍👧‍👦",
      "a.music ",
      "a.music.",
      ".spa",
      "漢.com",
      "1\ufe0f",
      "🏴\u{e0067}",
      "e\u0301",
      "https://a.b/"
    ]
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(10_000 / unit.length)).slice(0, 10_000)
      const taken = cpuMillis(() => assert.isAbove(weightedLength(text), 280))
      assert.isBelow(taken, 1000, unit)
    }
  })
})
