import { assert, describe, it } from "vitest"
import { afterSave } from "../../src/dashboard/pages/compose/afterSave.ts"

describe("afterSave", () => {
  it("A person goes back to the calendar or list from which they came, as they had filtered it", () => {
    for (const from of ["/", "/?view=week&date=2026-11-20", "/posts?status=draft", "/approvals"]) {
      assert.strictEqual(afterSave("/posts/1", from), from)
    }
  })

  it("A person who came from another page, or from none, sees the post", () => {
    for (const from of [undefined, "/posts/1", "/posts/2", "/settings/profile", "/compose", "/login?next=%2Fcompose"]) {
      assert.strictEqual(afterSave("/posts/1", from), "/posts/1")
    }
  })
})
