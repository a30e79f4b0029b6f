import { assert, describe, it } from "@effect/vitest"
import { timesOf, weekFrom, withoutTime, withTime } from "../../src/dashboard/pages/settings/queueWeek.ts"

const nine = { weekday: "monday", time: "09:00" } as const

describe("the week of the queue", () => {
  it("begins with the day that the person chose", () => {
    assert.deepStrictEqual(weekFrom("monday").slice(0, 2), ["monday", "tuesday"])
    assert.strictEqual(weekFrom("saturday").at(-1), "friday")
    assert.strictEqual(weekFrom("sunday").length, 7)
  })

  it("A time is added to each day that lacks it, and what is there keeps its platforms", () => {
    const added = withTime([{ ...nine, platforms: ["twitter"] }], "workdays", { time: "09:00" })
    assert.ok("entries" in added)
    assert.strictEqual(added.count, 4)
    assert.deepStrictEqual(timesOf(added.entries, "monday"), [{ ...nine, platforms: ["twitter"] }])
    assert.deepStrictEqual(timesOf(added.entries, "friday"), [{ weekday: "friday", time: "09:00" }])
    assert.deepStrictEqual(timesOf(added.entries, "sunday"), [])
  })

  it("A time that is there already, and more than a week of hours, are refused with the step", () => {
    assert.deepStrictEqual(withTime([nine], "monday", { time: "09:00" }), {
      refused: "This time is there already. To change its platforms, remove it first."
    })
    const full = Array.from({ length: 162 }, (_, index) => ({ ...nine, time: `${index}` }))
    assert.deepStrictEqual(withTime(full, "every", { time: "10:00" }), {
      refused: "A queue has at most 168 times. Remove some first."
    })
  })

  it("Times are listed in the order of the day, and one is removed by its day and time", () => {
    const entries = [{ weekday: "monday", time: "17:30" }, nine, { weekday: "tuesday", time: "09:00" }] as const
    assert.deepStrictEqual(
      timesOf(entries, "monday").map(({ time }) => time),
      ["09:00", "17:30"]
    )
    assert.deepStrictEqual(withoutTime(entries, nine), [entries[0], entries[2]])
  })
})
