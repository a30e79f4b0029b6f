import { assert, describe, it } from "@effect/vitest"
import { copiedWords } from "../../src/dashboard/shared/actions/copiedWords.ts"

const warnings = (...paths: ReadonlyArray<ReadonlyArray<string | number>>) => paths.map((path) => ({ path }))

describe("copiedWords", () => {
  it("A copy is said to be without files, parts, its group and platforms, each by its own name", () => {
    assert.strictEqual(copiedWords([], []), "This is the copy, a draft")
    assert.strictEqual(
      copiedWords(warnings(["media", 0], ["thread", 1, "media", 0]), []),
      "This is the copy, a draft without 2 files that are gone"
    )
    assert.strictEqual(
      copiedWords(warnings(["thread"]), []),
      "This is the copy, a draft without 1 part whose only files are gone"
    )
    assert.strictEqual(
      copiedWords(warnings(["thread"], ["group_id"]), ["bluesky"]),
      "This is the copy, a draft without 1 part whose only files are gone, its group, which is full, and Bluesky, not connected here"
    )
  })
})
