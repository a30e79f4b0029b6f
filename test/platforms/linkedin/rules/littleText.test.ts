import { assert, describe, it } from "@effect/vitest"
import { fromLittleText, toLittleText } from "../../../../src/platforms/linkedin/rules/littleText.ts"
import { type Draw, drawFrom } from "../../contract/drawn.ts"

const reserved = Array.from("\\|{}@[]()<>#*_~")

/** Removes the templates and the escaped characters. LinkedIn would cut the text at any reserved character that is left. */
const unescaped = (sent: string) =>
  sent
    .replaceAll(/\{hashtag\|\\#\|(?:\\[^]|[^\\{}|])+\}/gu, "")
    .replaceAll(/@\[(?:\\[^]|[^\\[\]])+\]\(urn:li:(?:organization|person):[\w-]+\)/gu, "")
    .replaceAll(/\\[^]/gu, "")

const pieces = [
  ...reserved,
  "#tag",
  "#été_2",
  "＃",
  "{hashtag|\\#|tag}",
  "@[Acme](urn:li:organization:1)",
  "@[Ada *L*](urn:li:person:a-B_1)",
  "@[](urn:li:person:1)",
  "@[A](urn:li:share:1)",
  "urn:li:person:1",
  "https://example.com/a_(b)#c",
  "\n",
  " ",
  "word",
  "👩‍👩‍👧",
  "e\u0301"
]

/** Any code point but a lone surrogate, which no text of a post has. */
const codePoint = (draw: Draw): string => {
  const point = draw.below(0x110000 - 0x800)
  return String.fromCodePoint(point < 0xd800 ? point : point + 0x800)
}

const drawText = (draw: Draw) =>
  Array.from({ length: draw.below(30) }, () => (draw.below(3) === 0 ? codePoint(draw) : draw.of(pieces))).join("")

describe("Little text", () => {
  it.each([
    ["Hello (world), a_b*c ~ d", "Hello \\(world\\), a\\_b\\*c \\~ d"],
    ["a\\b {c} <d> [e] | f@g.h", "a\\\\b \\{c\\} \\<d\\> \\[e\\] \\| f\\@g.h"],
    ["#go and #été_2!", "{hashtag|\\#|go} and {hashtag|\\#|été\\_2}!"],
    ["C# and #1 and a#b and ##c", "C\\# and \\#1 and a\\#b and \\#\\#c"],
    ["https://example.com/#part", "https://example.com/\\#part"],
    ["Hi @[Acme (Inc)](urn:li:organization:1)!", "Hi @[Acme \\(Inc\\)](urn:li:organization:1)!"],
    ["@[Acme](urn:li:share:1)", "\\@\\[Acme\\]\\(urn:li:share:1\\)"]
  ])("%j is sent as %j", (text, sent) => assert.strictEqual(toLittleText(text), sent))

  it.each([
    ["\\(a\\) {hashtag|\\#|tag} b", "(a) #tag b"],
    ["{hashtag|#|tag} #other", "#tag #other"],
    ["@[Acme](urn:li:organization:1)", "@[Acme](urn:li:organization:1)"]
  ])("%j is read as %j", (sent, text) => assert.strictEqual(fromLittleText(sent), text))

  it("Each character of Unicode reads as it was written", () => {
    for (let point = 0; point < 0x80; point++) {
      const character = String.fromCodePoint(point)
      const sent = toLittleText(character)
      assert.strictEqual(fromLittleText(sent), character)
      assert.strictEqual(sent !== character, reserved.includes(character))
    }
    // The others in lines of their own, because none of them is reserved.
    const wrong: Array<string> = []
    const size = 0x80
    for (let first = size; first < 0x110000; first += size) {
      if (first >= 0xd800 && first < 0xe000) continue
      const text = Array.from({ length: size }, (_, index) => String.fromCodePoint(first + index)).join("\n")
      const sent = toLittleText(text)
      if (sent !== text || fromLittleText(sent) !== text) wrong.push(`U+${first.toString(16)}`)
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("A drawn text reads as it was written, and nothing in it is left unescaped", () => {
    for (let seed = 0; seed < 3_000; seed++) {
      const text = drawText(drawFrom(seed))
      const sent = toLittleText(text)
      assert.strictEqual(fromLittleText(sent), text)
      assert.notMatch(unescaped(sent), /[\\|{}@[\]()<>#*_~]/, sent)
    }
  })
})
