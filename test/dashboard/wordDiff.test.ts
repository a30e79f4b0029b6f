import { assert, describe, it } from "@effect/vitest"
import { wordDiff } from "../../src/dashboard/ui/diff/wordDiff.ts"

const marks = { same: "", added: "+", removed: "-" } as const

/** What a text was and has become, as `same [-removed] [+added]`. */
const shown = (before: string, after: string): string =>
  wordDiff(before, after)
    .map(({ kind, text }) => (kind === "same" ? text : `[${marks[kind]}${text}]`))
    .join("")

const sideOf = (parts: ReturnType<typeof wordDiff>, without: "added" | "removed"): string =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join("")

describe("The word diff", () => {
  it("Equal texts have no changes", () => {
    assert.strictEqual(shown("The launch is on Tuesday.", "The launch is on Tuesday."), "The launch is on Tuesday.")
  })

  it("A changed word is removed and added, and the words around it stay", () => {
    assert.strictEqual(
      shown("The launch is on Tuesday.", "The launch is on Friday."),
      "The launch is on [-Tuesday][+Friday]."
    )
  })

  it("Changed words beside each other read as one change", () => {
    assert.strictEqual(
      shown("We ship two big things.", "We ship five small things."),
      "We ship [-two big][+five small] things."
    )
  })

  it("Japanese, which has no spaces, is compared word by word", () => {
    assert.strictEqual(shown("検索が速い", "検索が遅い"), "検索が[-速い][+遅い]")
  })

  it.each([
    ["", "A first text"],
    ["A last text", ""],
    ["one two three four five", "five four three two one"],
    ["a  b\n\nc", "a b\nc d"],
    ["word ".repeat(3000), "other ".repeat(3000)]
  ])("Both texts can be read from the parts: case %#", (before, after) => {
    const parts = wordDiff(before, after)
    assert.strictEqual(sideOf(parts, "added"), before)
    assert.strictEqual(sideOf(parts, "removed"), after)
  })
})
