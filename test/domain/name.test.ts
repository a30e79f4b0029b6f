import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Name } from "../../src/domain/name.ts"

describe("Name", () => {
  it.each([
    "Acme",
    "Crème & 🥐 Söhne",
    "❤\ufe0f",
    "👩\u200d🚀",
    "می\u200cخواهم",
    "Team \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "a".repeat(100)
  ])("A line of up to 100 characters is a name: %s", (name) => {
    assert.isTrue(Schema.is(Name)(name))
  })

  it.each([
    ["is blank", " "],
    ["has a line break", "Acme\nlevel=error"],
    ["has a line separator", "Acme\u2028x"],
    ["changes the direction", "Acme\u202e"],
    ["has an invisible character", "Ac\u200bme"],
    ["has an escape", "\u001b[2J"],
    ["has an unpaired surrogate", "\ud800"],
    ["has tags without a flag", "Acme\u{e0067}\u{e0062}\u{e007f}"],
    ["has an unfinished flag", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}"],
    ["has a flag of hidden words", "\u{1f3f4}\u{e0068}\u{e0069}\u{e0064}\u{e007f}"],
    ["has tags after a flag", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0061}"],
    ["has 300 characters", "a".repeat(300)]
  ])("What %s is no name", (_, name) => {
    assert.isFalse(Schema.is(Name)(name))
  })
})
