import { assert, describe, it } from "@effect/vitest"
import { mergeSaves } from "../../src/dashboard/pages/post/mergeSaves.ts"

/** A change of a draft, minutes after ten. */
const saved = (minutes: number, text = "Ada changed the text", more: { type?: string; before?: string } = {}) => ({
  at: `2026-10-20T10:${String(minutes).padStart(2, "0")}:00.000Z`,
  status: "draft",
  text,
  type: "post.updated",
  ...more
})

const merged = (...lines: ReadonlyArray<ReturnType<typeof saved>>) =>
  mergeSaves(lines).map(({ at, before, text }) => [at.slice(11, 16), text, before])

describe("The history of a draft that saves itself", () => {
  it("The saves of half an hour are one line, with the latest time and the earliest text", () => {
    assert.deepStrictEqual(merged(saved(20), saved(11), saved(1, undefined, { before: "At first" })), [
      ["10:20", "Ada changed the text", "At first"]
    ])
  })

  it("Changes by others, of something else, or much later are lines of their own", () => {
    const lines = [saved(59, "Ada changed the tags"), saved(40, "Grace changed the text"), saved(39), saved(5)]
    assert.deepStrictEqual(
      merged(...lines).map(([, text]) => text),
      lines.map(({ text }) => text)
    )
  })

  it("Only changes of drafts are merged", () => {
    const failed = { type: "post.target.failed" }
    assert.lengthOf(merged(saved(2, "Failed on X", failed), saved(1, "Failed on X", failed)), 2)
  })
})
