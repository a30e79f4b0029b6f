import { assert, describe, it } from "@effect/vitest"
import { textsOf } from "../../../src/domain/posts/postTexts.ts"
import { findTextDoubts } from "../../../src/domain/posts/textDoubts.ts"
import { rules } from "../../support/plans.ts"

const doubtsOf = (content: string) =>
  findTextDoubts(rules, textsOf({ content, platforms: ["bluesky"] })).map(({ path }) => path)

describe("findTextDoubts", () => {
  it("An address that becomes no link is a warning, unless its text is refused for its length anyway", () => {
    assert.deepStrictEqual(doubtsOf("Drink coca-cola.com"), [["content"]])
    assert.deepStrictEqual(doubtsOf(`Drink coca-cola.com ${"a".repeat(300)}`), [])
  })
})
