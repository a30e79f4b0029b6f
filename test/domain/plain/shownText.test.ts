import { assert, describe, it } from "@effect/vitest"
import { shownText } from "../../../src/domain/plain/shownText.ts"

describe("the text that people see", () => {
  it("It is the post's, unless a setting of the platform replaces or hides it", () => {
    assert.strictEqual(shownText("tiktok", {}, "A text"), "A text")
    assert.strictEqual(shownText("tiktok", { tiktok: { tiktok_title: " " } }, "A text"), "A text")
    assert.strictEqual(shownText("tiktok", { tiktok: { tiktok_title: "A caption" } }, "A text"), "A caption")
    assert.strictEqual(shownText("youtube", { tiktok: { tiktok_title: "A caption" } }, "A text"), "A text")
    assert.strictEqual(shownText("instagram", { instagram: { post_type: "story" } }, "A text"), "")
  })
})
