import { assert, describe, it } from "@effect/vitest"
import { addTags, describeTags, savableTags, tagsIn } from "../../src/dashboard/shared/savableTags.ts"

const many = Array.from({ length: 300 }, (_, index) => `tag ${index + 1}`)
const long = "x".repeat(51)

describe("The tags of a pasted text", () => {
  it("Commas, semicolons and line breaks separate tags, and blank and repeated ones are left out", () => {
    assert.deepStrictEqual(tagsIn("a, b;c\nd\r\n#e,,a ,\tf"), ["a", "b", "c", "d", "e", "f"])
    assert.deepStrictEqual(savableTags([" ", "a", "a"]), ["a"])
  })

  it("300 pasted tags become 50, and the others stay to be shortened, with the reason", () => {
    const { rest, tags } = addTags(["first"], many.join("\n"))
    assert.deepStrictEqual([tags.length, tags[0], tags.at(-1)], [50, "first", "tag 49"])
    assert.strictEqual(tagsIn(rest).length, 251)
    assert.strictEqual(describeTags(tags, rest), "A post has at most 50 tags. These 251 are left.")
  })

  it("A tag that is too long stays in the field, and says by how much", () => {
    assert.deepStrictEqual(addTags([], `short, ${long}`), { tags: ["short"], rest: long })
    assert.match(describeTags([], long) ?? "", /at most 50 characters, and this one has 51/)
    assert.isUndefined(describeTags([], "🎉".repeat(50)))
  })

  it("A post with more tags than are possible today keeps them", () => {
    const stored = many.slice(0, 80)
    assert.strictEqual(addTags(stored, "").tags, stored)
    assert.strictEqual(addTags(stored, "tag 3").tags, stored)
  })
})
