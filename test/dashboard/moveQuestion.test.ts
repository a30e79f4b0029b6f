import { afterEach, assert, describe, it } from "@effect/vitest"
import { questionOf } from "../../src/dashboard/pages/calendar/moveQuestion.ts"
import { timeSettings } from "../../src/dashboard/ui/time/zone.ts"
import { post } from "./post.ts"

const now = new Date("2026-10-24T10:20:00.000Z")

describe("The question before a move in the calendar", () => {
  afterEach(() => timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: null }))

  it("Asks for another hour where the time has passed, and proposes the next that is to come", () => {
    timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: "UTC" })
    const question = (to: string) =>
      questionOf(post("a", { scheduled_at: "2026-10-30T08:00:00.000Z" }), new Date(to), now)
    assert.deepStrictEqual(question("2026-10-24T08:00:00.000Z"), {
      kind: "passed",
      proposed: "2026-10-24T11:00:00.000Z"
    })
    assert.deepStrictEqual(question("2026-10-20T08:00:00.000Z"), {
      kind: "passed",
      proposed: "2026-10-24T11:00:00.000Z"
    })
    assert.isUndefined(question("2026-10-24T10:21:00.000Z"))
  })

  it("Asks before a scheduled post loses its time, and not before a draft does", () => {
    assert.deepStrictEqual(questionOf(post("a"), null, now), { kind: "draft" })
    assert.isUndefined(questionOf(post("a", { status: "draft" }), null, now))
  })

  it("Asks nothing about a post that stays where it is, or that can't be moved at all", () => {
    const at = "2026-10-20T08:00:00.000Z"
    assert.isUndefined(questionOf(post("a", { scheduled_at: at }), new Date(at), now))
    assert.isUndefined(questionOf(post("a", { status: "published" }), null, now))
    assert.isUndefined(questionOf(post("a", { status: "failed" }), new Date(at), now))
  })
})
