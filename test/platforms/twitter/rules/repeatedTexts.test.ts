import { assert, describe, it } from "@effect/vitest"
import { comparedText } from "../../../../src/platforms/twitter/rules/repeatedTexts.ts"

describe("comparedText", () => {
  it("A text of which nothing can be seen is compared as an empty one, as X is sent none", () => {
    assert.deepStrictEqual([" ", "\u3164\u200B", "\u115F", ""].map(comparedText), ["", "", "", ""])
  })
})
