import { assert, describe, it } from "@effect/vitest"
import { maxSearchWords } from "../../../src/domain/plain/searchLimits.ts"
import { searchPattern, searchWords } from "../../../src/domain/plain/textSearch.ts"
import { searchCases, spellingsOf } from "../../support/textSearch.ts"

const finds = (text: string, content: string) => new RegExp(searchPattern(text), "u").test(content)

describe("searchWords", () => {
  it.each([
    { text: "two words", words: ["two", "words"] },
    { text: " again\tAND again ", words: ["again", "AND"] },
    { text: 'the "release notes" of', words: ["the", "release notes", "of"] },
    { text: 'a " b', words: ["a", '"', "b"] },
    { text: '"" " "', words: ['""', '"'] },
    { text: "日本\u3000東京", words: ["日本", "東京"] },
    { text: "1 2 3 4 5 6 7 8", words: ["1", "2", "3", "4", "5", "6", "7", "8"] },
    { text: "1 2 3 4 5 6 7 8  9 10", words: ["1", "2", "3", "4", "5", "6", "7", "8  9 10"] }
  ])("The words of $text are $words", ({ text, words }) => {
    assert.deepStrictEqual(searchWords(text), words)
    assert.isAtMost(words.length, maxSearchWords)
  })
})

describe("searchPattern", () => {
  it.each(searchCases)("A search for $text finds $found and not $missed", ({ found, missed, text }) => {
    for (const content of found) assert.isTrue(finds(text, content), content)
    for (const content of missed) assert.isFalse(finds(text, content), content)
  })

  it("Every character is found by each of its spellings, in either case and composed or not", () => {
    const missed = new Array<string>()
    for (let code = 0x21; code < 0x2_fa20; code++) {
      const spellings = spellingsOf(code)
      for (const text of spellings) {
        const pattern = new RegExp(searchPattern(text), "u")
        for (const content of spellings) if (!pattern.test(content)) missed.push(`${text} in ${content}`)
      }
    }
    assert.deepStrictEqual(missed, [])
  })

  it("The longest texts have patterns of a few thousand characters", () => {
    for (const text of ["ế".repeat(200), "s".repeat(200), "a".repeat(100) + "\u0301".repeat(100), "İ".repeat(200)]) {
      assert.isBelow(searchPattern(text).length, 10_000, text)
    }
  })
})
