import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import { checkRevision, formatEtag, parseIfMatch } from "../../src/domain/revisionMatch.ts"

describe("parseIfMatch", () => {
  it.each([
    ["*", "any"],
    ['"3"', [3]],
    ['"3", "12"', [3, 12]],
    ['"3"\t,"4"', [3, 4]],
    ['W/"3"', []],
    ['W/"3", "4"', [4]],
    ['"abc"', []],
    ['"03"', []],
    ['""', []],
    ['"3-gzip"', []]
  ] as const)("The header %s accepts %j", (header, expected) => {
    assert.deepStrictEqual(parseIfMatch(header), Option.some(expected))
  })

  it.each(["", "3", "'3'", '"3', '3"', '"3" "4"', '"3",', '*, "3"', "**", 'w/"3"', '"a b"'])(
    "The header %j is malformed",
    (header) => {
      assert.deepStrictEqual(parseIfMatch(header), Option.none())
    }
  )

  it("A long malformed header is refused in no time", () => {
    assert.deepStrictEqual(parseIfMatch(`${'"1", '.repeat(10_000)}x`), Option.none())
  })

  it("A revision's own entity tag matches it and no other", () => {
    const match = Option.getOrUndefined(parseIfMatch(formatEtag(7)))
    assert.isTrue(Result.isSuccess(checkRevision({ revision: 7 }, match)))
    assert.isTrue(Result.isFailure(checkRevision({ revision: 8 }, match)))
    assert.isTrue(Result.isSuccess(checkRevision({ revision: 8 }, "any")))
    assert.isTrue(Result.isSuccess(checkRevision({ revision: 8 }, undefined)))
  })
})
