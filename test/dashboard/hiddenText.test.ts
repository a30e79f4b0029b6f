import { assert, describe, it } from "@effect/vitest"
import { cpuMillis } from "../support/cpuTime.ts"
import { markHidden } from "../../src/dashboard/ui/preview/hiddenText.ts"

const marksOf = (text: string) =>
  markHidden(text)
    .filter(({ isMark }) => isMark)
    .map((part) => part.text)

describe("markHidden", () => {
  it.each([
    ["Pay\u202e 001$", ["U+202E"]],
    ["in\u200bvisible", ["U+200B"]],
    ["\u2066isolate\u2069", ["U+2066", "U+2069"]],
    ["soft\u00adhyphen\ufeff", ["U+00AD", "U+FEFF"]],
    ["tag\u{e0041}\u{e0042}", ["U+E0041", "U+E0042"]],
    ["\u{1f3f4}\u{e0067}\u{e0062} unfinished", ["U+E0067", "U+E0062"]],
    ["a \u200d b", ["U+200D"]],
    ["\u3164", ["U+3164"]]
  ])("What readers don't see is marked: %j", (text, marks) => {
    assert.deepStrictEqual(marksOf(text), marks)
  })

  it.each(["👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣", "می‌خواهم", "क्‍ष", "One\n\n\n\nTwo", "Grüße, 世界", ""])(
    "What shapes letters and emoji, and a few empty lines, are not: %j",
    (text) => {
      assert.deepStrictEqual(marksOf(text), [])
    }
  )

  it("Text below many empty lines is announced, also where the lines hold white space and invisible characters", () => {
    const parts = markHidden(`Above${"\n \u200b".repeat(40)}\nBelow`)
    assert.deepStrictEqual(parts, [
      { isMark: false, text: "Above" },
      { isMark: true, text: "40 empty lines" },
      { isMark: false, text: "Below" }
    ])
    assert.deepStrictEqual(marksOf("Text\n\n\n\n\n\n\n"), [])
  })

  it("Marking 60 kB takes a moment, whatever the text is", () => {
    const taken = cpuMillis(() => {
      for (const part of ["\n", " ", "\u202e", "\n \u200b", "a\u200d"]) markHidden(part.repeat(60_000 / part.length))
    })
    assert.isBelow(taken, 10_000)
  })
})
