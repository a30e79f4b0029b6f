import { assert, describe, it } from "@effect/vitest"
import { emptyForm, formOf, restoreLocked, toKeptDraft } from "../../src/dashboard/pages/compose/form.ts"
import { post } from "./post.ts"

const now = new Date("2026-10-20T10:00:00Z")

describe("The draft of what was written for a post that can't be changed any more", () => {
  it("It keeps a time that is still to come", () => {
    const at = "2026-10-20T10:00:01.000Z"
    assert.strictEqual(toKeptDraft(emptyForm(at), now).schedule_at, at)
  })

  it("It has no time where that has passed, which would be refused", () => {
    assert.notProperty(toKeptDraft(emptyForm("2026-10-20T10:00:00.000Z"), now), "schedule_at")
    assert.notProperty(toKeptDraft(emptyForm(null), now), "schedule_at")
  })
})

describe("The kept form of a post whose text can't be changed", () => {
  const current = formOf(post("1", { content: "Out in part", tags: ["a"] }))
  const kept = { at: "2026-10-25T07:00:00.000Z", base: '"1-scheduled"', tags: ["b"] }

  it("It restores what earlier versions kept, and the rest is as the post has it", () => {
    assert.deepStrictEqual(restoreLocked(kept, current), { ...current, ...kept })
  })

  it("It takes nothing else of what is kept", () => {
    assert.deepStrictEqual(restoreLocked({ ...current, content: "Other", ...kept }, current), { ...current, ...kept })
  })

  it("What is no such form is not restored", () => {
    for (const other of [null, "text", {}, { ...kept, base: null }, { ...kept, tags: [1] }]) {
      assert.isUndefined(restoreLocked(other, current))
    }
  })
})
