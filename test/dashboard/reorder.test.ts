import { assert, describe, it } from "@effect/vitest"
import { reorder, undoOf } from "../../src/dashboard/pages/calendar/reorder.ts"
import { post as makePost } from "./post.ts"

const posts = ["a", "b", "c", "d"].map((id) => makePost(id))
const idsOf = (of: ReadonlyArray<{ readonly id: string }> | undefined) => of?.map(({ id }) => id).join("")

describe("The order of a week", () => {
  it("A post that takes another place exchanges times with those in between alone", () => {
    const place = (id: string, to: number) => {
      const change = reorder(posts, id, () => to)
      return [idsOf(change?.before), idsOf(change?.order)]
    }
    assert.deepStrictEqual(place("a", 2), ["abc", "bca"])
    assert.deepStrictEqual(place("d", 1), ["bcd", "dbc"])
    assert.deepStrictEqual(place("b", 2), ["bc", "cb"])
  })

  it("Nothing moves if the post is not among them, stays, or would leave them", () => {
    assert.isUndefined(reorder(posts, "x", () => 1))
    assert.isUndefined(reorder(posts, "b", () => 1))
    assert.isUndefined(reorder(posts, "a", (from) => from - 1))
    assert.isUndefined(reorder(posts, "d", (from) => from + 1))
  })

  it("Undo has the former order and the new revisions", () => {
    const [first, second] = posts.map((post) => ({ ...post, revision: post.revision + 1 }))
    const before = posts.slice(0, 3)
    const moved = [second, first].flatMap((post) => post ?? [])
    assert.deepStrictEqual(
      undoOf(before, moved).map(({ id, revision }) => [id, revision - (posts[0]?.revision ?? 0)]),
      [
        ["a", 1],
        ["b", 1],
        ["c", 0]
      ]
    )
  })
})
