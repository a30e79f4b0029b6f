import { assert, describe, it } from "@effect/vitest"
import { hasInvisible, isVisible } from "../../../src/domain/plain/invisible.ts"

describe("invisible characters", () => {
  it.each([
    ["a joiner between Latin letters", "a\u200Db"],
    ["a joiner at the end", "promo\u200D"],
    ["a non-joiner between Latin letters", "a\u200Cb"],
    ["a variation selector after a letter", "a\uFE0F"],
    ["two joiners in a script that joins", "\u0915\u094D\u200D\u200D\u0937"],
    ["a joiner after an emoji alone", "\u{1F469}\u200D"],
    ["joiners alone", "\u200D\uFE0F"]
  ])("A text with %s has an invisible character", (_, text) => {
    assert.isTrue(hasInvisible(text))
  })

  it.each([
    ["a family of emoji", "👩‍👩‍👧"],
    ["a heart with a variation selector", "❤️"],
    ["a number in a key", "1️⃣"],
    ["a flag of tags", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"],
    ["a Persian word", "می\u200Cخواهم"],
    ["a Hindi word", "\u0915\u094D\u200D\u0937"]
  ])("A text with %s has none", (_, text) => {
    assert.isFalse(hasInvisible(text))
  })

  it.each(["\u2800", "\u200D\uFE0F", " \u2800 \u3164"])(
    "A text of characters without a shape is not visible",
    (text) => {
      assert.isFalse(isVisible(text))
    }
  )
})
