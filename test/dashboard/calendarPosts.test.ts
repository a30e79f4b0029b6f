import { assert, describe, it } from "@effect/vitest"
import { groupByDay, withChanges } from "../../src/dashboard/pages/calendar/calendarPosts.ts"
import { post } from "./post.ts"

describe("The posts of the calendar", () => {
  const loaded = [post("a"), post("b")]
  const moved = post("a", { scheduled_at: "2026-10-25T07:00:00.000Z", revision: 2 })

  it("A post that is in two responses is shown at its later revision", () => {
    assert.strictEqual(withChanges([moved, ...loaded], new Map(), loaded).get("a"), moved)
    assert.strictEqual(withChanges([...loaded, moved], new Map(), loaded).get("a"), moved)
  })

  it("A move is shown while it is on its way, and until a response has it", () => {
    const pending = { post: post("a", { scheduled_at: null }), isPending: true, loaded }
    assert.strictEqual(withChanges(loaded, new Map([["a", pending]]), loaded).get("a"), pending.post)
    const done = { post: moved, isPending: false, loaded }
    assert.strictEqual(withChanges(loaded, new Map([["a", done]]), loaded).get("a"), moved)
    const later = post("a", { revision: 3 })
    assert.strictEqual(withChanges([later], new Map([["a", done]]), [later]).get("a"), later)
  })

  it("A moved post that no response has is shown only until there is another response", () => {
    const changes = new Map([["a", { post: moved, isPending: false, loaded }]])
    assert.strictEqual(withChanges([], changes, loaded).get("a"), moved)
    assert.isFalse(withChanges([], changes, []).has("a"))
  })

  it("A day has its posts by time, and neither drafts without one nor posts of other weeks", () => {
    const week = { from: new Date("2026-10-19T00:00:00Z"), to: new Date("2026-10-26T00:00:00Z") }
    const late = post("late", { scheduled_at: "2026-10-24T12:00:00.000Z" })
    const early = post("early", { scheduled_at: "2026-10-24T11:00:00.000Z" })
    const other = post("other", { scheduled_at: "2026-10-26T00:00:00.000Z" })
    const days = groupByDay([late, post("draft", { scheduled_at: null }), other, early], [week])
    assert.deepStrictEqual(Array.from(days.values()), [[early, late]])
  })
})
