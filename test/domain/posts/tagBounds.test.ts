import { assert, describe, it } from "@effect/vitest"
import { findTagIssues } from "../../../src/domain/posts/tagBounds.ts"

const long = "x".repeat(51)
const many = Array.from({ length: 51 }, (_, index) => `tag ${index}`)

describe("findTagIssues", () => {
  it("A tag of more than 50 characters and more than 50 tags are refused, with their place and the bound", () => {
    assert.deepStrictEqual(findTagIssues([long.slice(1), "🎉".repeat(50)]), [])
    assert.deepStrictEqual(
      findTagIssues(["a", long]).map(({ path }) => path),
      [["tags", 1]]
    )
    assert.deepStrictEqual(findTagIssues(many), [
      {
        path: ["tags"],
        message: "A post has at most 50 tags, and these are 51; leave some out",
        code: "too_many",
        facts: { limit: 50 }
      }
    ])
    assert.deepStrictEqual(findTagIssues([...many.slice(1), "tag 1"]), [])
  })

  it("Tags that the post has can stay, though they are longer and more, but no others are added to them", () => {
    assert.deepStrictEqual(findTagIssues([long, "new"], [long]), [])
    assert.deepStrictEqual(findTagIssues(many, many), [])
    assert.deepStrictEqual(findTagIssues(many.slice(1), many), [])
    assert.isNotEmpty(findTagIssues([...many, "new"], many))
    assert.isNotEmpty(findTagIssues([`${long}y`], [long]))
  })
})
