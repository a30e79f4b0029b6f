import { assert, describe, it } from "@effect/vitest"
import { foldedText } from "../../src/dashboard/ui/preview/foldText.ts"

const startOf = (...args: Parameters<typeof foldedText>) =>
  foldedText(...args)
    .start?.map(({ text }) => text)
    .join("")

describe("foldedText", () => {
  it("LinkedIn shows the first words of a long text, and X all of it", () => {
    const text = "Twelve chars ".repeat(30).trim()
    const start = startOf(text, "linkedin") ?? ""
    assert.isTrue(text.startsWith(start))
    assert.isAtMost(start.length, 200)
    assert.match(start, /(?:Twelve|chars)$/)
    assert.isUndefined(startOf(text, "twitter"))
    assert.isUndefined(startOf("Short", "linkedin"))
  })

  it("LinkedIn shows three lines", () => {
    assert.strictEqual(startOf("One\n\nThree\nFour", "linkedin"), "One\n\nThree")
    assert.isUndefined(startOf("One\n\nThree", "linkedin"))
  })

  it("No link is cut, and no character", () => {
    const tag = `#${"long".repeat(20)}`
    assert.strictEqual(startOf(`${"a ".repeat(75)}${tag} and more`, "linkedin"), "a ".repeat(75))
    const flags = startOf("🇩🇪".repeat(120), "linkedin") ?? ""
    assert.match(flags, /^(?:🇩🇪)+$/u)
  })
})
