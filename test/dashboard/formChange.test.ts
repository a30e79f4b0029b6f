import { assert, describe, it } from "@effect/vitest"
import { formOf } from "../../src/dashboard/pages/compose/form.ts"
import { changeOf } from "../../src/dashboard/pages/compose/formChange.ts"
import { post } from "./post.ts"

const draft = post("1", { status: "draft", content: "Hello", tags: ["a"] })
const form = formOf(draft)
const change = (other: Partial<typeof form>) => changeOf({ ...form, ...other }, form.platforms ?? [], draft)

describe("What a form changes of its post", () => {
  it("A form as it was opened changes nothing", () => {
    assert.strictEqual(change({}), "none")
  })

  it("Another time or other tags leave what is sent as it is", () => {
    assert.strictEqual(change({ at: null }), "plan")
    assert.strictEqual(change({ tags: ["a", "b"] }), "plan")
    assert.strictEqual(change({ base: '"7-draft"' }), "plan")
  })

  it("Another text, platform, setting or part is sent", () => {
    assert.strictEqual(change({ content: "Hi" }), "content")
    assert.strictEqual(change({ overrides: { twitter: "Hi" }, at: null }), "content")
    assert.strictEqual(change({ replies: "following" }), "content")
    assert.strictEqual(changeOf(form, ["bluesky"], draft), "content")
  })
})
