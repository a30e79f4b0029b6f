import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Name } from "../../src/domain/name.ts"

describe("Name", () => {
  it.each(["Acme", "Crème & 🥐 Söhne", "Team 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍💻 ❤️", "a".repeat(100)])(
    "A line of up to 100 characters is a name: %s",
    (name) => {
      assert.isTrue(Schema.is(Name)(name))
    }
  )

  it.each([
    ["is blank", " "],
    ["has a line break", "Acme\nlevel=error"],
    ["has a line separator", "Acme\u2028x"],
    ["has an escape", "\u001b[2J"],
    ["has an unpaired surrogate", "\ud800"],
    ["has 300 characters", "a".repeat(300)]
  ])("What %s is no name", (_, name) => {
    assert.isFalse(Schema.is(Name)(name))
  })
})
