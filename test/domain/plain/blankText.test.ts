import { assert, describe, it } from "@effect/vitest"
import { isBlank } from "../../../src/domain/plain/blankText.ts"

describe("isBlank", () => {
  it.each([
    ["nothing", ""],
    ["white space", " \t\r\n\u0085\u00A0\u2003\u2028\u3000"],
    ["a zero-width space", "\u200B"],
    ["joiners, a soft hyphen and a byte order mark", "\u200C\u200D\u2060\u00AD\uFEFF"],
    ["a variation selector and tags without an emoji", "\uFE0F\u{E0067}\u{E007F}"],
    ["marks of direction", "\u200E\u202B\u2066\u2069"],
    ["fillers of Hangul", "\u115F\u1160\u3164\uFFA0"]
  ])("A text of %s is blank", (_, text) => {
    assert.isTrue(isBlank(text))
  })

  it.each([
    ["a letter between invisible characters", "\u200Ba\u200B"],
    ["an emoji with a variation selector", "❤️"],
    ["an emoji with joiners", "👩‍👩‍👧"],
    ["a flag of tags", "🏴\u{E0067}\u{E0062}\u{E007F}"],
    ["a combining mark", "\u0301"],
    ["a Persian word with a joiner", "می\u200Cخواهم"]
  ])("A text of %s is not blank", (_, text) => {
    assert.isFalse(isBlank(text))
  })

  it("A long text of invisible characters is blank", () => {
    assert.isTrue(isBlank("\u200B ".repeat(5000)))
  })
})
