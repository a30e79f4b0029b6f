import { assert, describe, it } from "@effect/vitest"
import { oneLine } from "../../src/domain/oneLine.ts"

describe("oneLine", () => {
  it.each([
    ["line breaks and tabs", "One\r\n\ttwo\u2028three\u2029four\n", "One two three four"],
    ["control characters", "One\u0000two\u001B[31mthree", "One two [31mthree"],
    ["invisible characters", "pro\u200Bmo\u2060tion\u00AD", "promotion"],
    ["characters that change the direction", "\u202Etxt.exe", "txt.exe"]
  ])("A line has no %s", (_, text, expected) => {
    assert.strictEqual(oneLine(text, 100), expected)
  })

  it("A text of the longest length stays, and a longer one ends with an ellipsis", () => {
    assert.strictEqual(oneLine("🐘🐘🐘", 3), "🐘🐘🐘")
    assert.strictEqual(oneLine("🐘🐘🐘🐘", 3), "🐘🐘…")
  })

  it("What is removed does not count", () => {
    assert.strictEqual(oneLine("  a\u200B\n\nb  ", 3), "a b")
  })
})
