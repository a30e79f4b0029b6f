import { assert, describe, it } from "@effect/vitest"
import {
  emptyForm,
  formOf,
  keptForm,
  restoreForm,
  restoreLocked,
  saysTheSame,
  toAttempted,
  toKeptDraft
} from "../../src/dashboard/pages/compose/form.ts"
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

describe("The form of a draft that saves itself", () => {
  const begun = { ...emptyForm(null), content: "Begun", id: "1", base: '"1-draft"' }

  it("A new post continues its draft after a reload, and a draft that is opened is any draft", () => {
    assert.deepStrictEqual(restoreForm(begun, emptyForm(null)), begun)
    assert.deepStrictEqual(restoreForm(begun, formOf(post("1"))), { ...begun, id: undefined })
    assert.isNull(restoreForm({ ...begun, id: undefined }, emptyForm(null))?.base)
  })

  it("A creation without a response is restored with its content, and one with a broken content is not", () => {
    const attempted = toAttempted(begun, ["twitter"], now)
    const open = { ...emptyForm(null), attempt: "key", attempted }
    assert.deepStrictEqual(restoreForm(open, emptyForm(null))?.attempted, attempted)
    assert.isUndefined(restoreForm({ ...open, attempted: { content: 1 } }, emptyForm(null)))
  })

  it("The browser stores nothing that the post says already, even after the keys of parts were set", () => {
    const form = formOf(post("1", { content: "Hello" }))
    assert.isTrue(keptForm.isUnchanged({ ...form, key: "first" }, form))
    for (const change of [
      { content: "Other" },
      { at: null },
      { tags: ["a"] },
      { attempt: "key" },
      { base: '"2-draft"' }
    ]) {
      assert.isFalse(keptForm.isUnchanged({ ...form, ...change }, form), JSON.stringify(change))
    }
    assert.isTrue(saysTheSame(form, { ...form }))
  })
})
