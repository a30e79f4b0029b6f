import { assert, describe, it } from "@effect/vitest"
import type { HistoryEntry } from "../../src/dashboard/api/history.ts"
import { describeHistory } from "../../src/dashboard/pages/post/history.ts"
import { post } from "./post.ts"

/** A change of a draft, minutes after ten. */
const changed = (minutes: number, members: ReadonlyArray<string>, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id: `${minutes}`,
  event: {
    type: "post.updated",
    timestamp: `2026-10-20T10:${String(minutes).padStart(2, "0")}:00.000Z`,
    data: { post_id: "1", status: "draft", revision: 2 }
  },
  details: { changed: [...members] },
  by: { name: "Ada" },
  ...more
})

const lines = (...data: ReadonlyArray<HistoryEntry>) =>
  describeHistory(post("1", { status: "draft", scheduled_at: null }), { data, next_cursor: "more" })

describe("The history of a draft", () => {
  it("What saved itself within half an hour is one line, with the latest time and the earliest text", () => {
    const first = changed(1, ["content"], { details: { changed: ["content"], before: { content: "At first" } } })
    const found = lines(changed(20, ["content"]), changed(11, ["content"]), first)
    assert.deepStrictEqual(
      found.map(({ at, before, text }) => [at.slice(11, 16), text, before?.[0]?.text]),
      [["10:20", "Ada changed the text", "At first"]]
    )
  })

  it("Changes by others, of something else, or much later are lines of their own", () => {
    const other = changed(40, ["content"], { by: { name: "Grace" } })
    const found = lines(changed(59, ["tags"]), other, changed(39, ["content"]), changed(5, ["content"]))
    assert.deepStrictEqual(
      found.map(({ text }) => text),
      ["Ada changed the tags", "Grace changed the text", "Ada changed the text", "Ada changed the text"]
    )
  })

  it("A replacement of the account names the other account", () => {
    const [line] = lines(changed(1, ["account"], { details: { changed: ["account"], account: "acme" } }))
    assert.strictEqual(line?.text, "Ada changed the account to @acme")
  })
})
