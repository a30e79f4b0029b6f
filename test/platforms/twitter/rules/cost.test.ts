import { assert, describe, it } from "@effect/vitest"
import { estimateCost } from "../../../../src/platforms/twitter/rules/cost.ts"

describe("estimateCost", () => {
  it("A post costs $0.015, and one with a link $0.20", () => {
    assert.deepStrictEqual(estimateCost(["one", "two", "three https://example.com"]), {
      usd: 0.23,
      note: "3 posts on X, 1 of them with a link; X charges $0.015 a post and $0.200 for one with a link (November 2026)"
    })
    assert.deepStrictEqual(estimateCost(Array.from({ length: 25 }, () => "a")), {
      usd: 0.375,
      note: "25 posts on X; X charges $0.015 a post and $0.200 for one with a link (November 2026)"
    })
  })

  it("A single post with a link says so", () => {
    assert.match(estimateCost(["See example.com"]).note, /^1 post on X with a link; X charges/)
  })

  it.each(["example.com", "see example.com/a.", "https://example.music", "見てhttps://example.com"])(
    "A link costs more however it is written: %s",
    (text) => assert.strictEqual(estimateCost([text]).usd, 0.2)
  )

  it.each(["me@example.com", "1.5", "end.Begin", "@somebody", "#tag"])("No link costs no more: %s", (text) => {
    assert.strictEqual(estimateCost([text]).usd, 0.015)
  })
})
