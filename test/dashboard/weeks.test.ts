import { assert, describe, it } from "@effect/vitest"
import { dayInMonth, startOfWeek, weeksOf } from "../../src/dashboard/pages/calendar/range.ts"
import { blocksOf, drawnWeeks, maxBlocks, weekAt, weekIndex } from "../../src/dashboard/pages/calendar/weeks.ts"
import { dayKey } from "../../src/dashboard/ui/time/day.ts"

const base = startOfWeek(new Date("2026-11-16T12:00:00Z"))

describe("The weeks that the month scrolls through", () => {
  it("A week is found again by any of its days, also across the days on which clocks change", () => {
    for (let index = -60; index <= 60; index++) {
      const monday = weekAt(base, index)
      assert.strictEqual(weekIndex(base, monday), index)
      assert.strictEqual(weekIndex(base, new Date(monday.getTime() + 6.5 * 24 * 60 * 60_000)), index)
    }
  })

  it("What the month shows at first is loaded by one request, and any six weeks by two at most", () => {
    assert.strictEqual(blocksOf(base, 0, 5).length, 1)
    for (let first = -30; first <= 30; first++) {
      const blocks = blocksOf(base, first, first + 5)
      assert.isAtMost(blocks.length, 2)
      assert.isTrue((blocks[0]?.from ?? base) <= weekAt(base, first))
      assert.isTrue((blocks.at(-1)?.to ?? base) >= weekAt(base, first + 6))
    }
  })

  it("Blocks beside each other are kept in different places, and one keeps its place while others come and go", () => {
    const slots = new Map<number, number>()
    for (let first = -30; first <= 30; first++) {
      const blocks = blocksOf(base, first, first + 9)
      assert.isAtMost(blocks.length, maxBlocks)
      assert.strictEqual(new Set(blocks.map(({ slot }) => slot)).size, blocks.length)
      for (const { from, slot } of blocks) {
        assert.strictEqual(slots.get(from.getTime()) ?? slot, slot)
        slots.set(from.getTime(), slot)
      }
    }
  })

  it("The month is named after the one that fills most of the view", () => {
    for (let month = 0; month < 36; month++) {
      const first = new Date(2026, month, 1)
      const { month: named } = weeksOf(weekAt(startOfWeek(first), -1), 6)
      assert.strictEqual(named.getMonth(), first.getMonth())
    }
    assert.strictEqual(weeksOf(weekAt(base, 0), 6).title, "December 2026")
    assert.strictEqual(weeksOf(weekAt(base, 0), 3).title, "November 2026")
  })

  it("One week is drawn beyond the view at each edge", () => {
    assert.deepStrictEqual(drawnWeeks(0, 5), { first: -1, last: 6 })
    assert.deepStrictEqual(drawnWeeks(-156, -151), { first: -156, last: -150 })
    assert.deepStrictEqual(drawnWeeks(151, 156), { first: 150, last: 156 })
  })

  it("A day of another month is the same, or the last of a shorter month", () => {
    const keyIn = (text: string, months: number) => dayKey(dayInMonth(new Date(`${text}T12:00`), months))
    assert.deepStrictEqual(
      [keyIn("2026-11-24", 1), keyIn("2026-12-24", 1), keyIn("2027-01-31", 1), keyIn("2026-03-31", -1)],
      ["2026-12-24", "2027-01-24", "2027-02-28", "2026-02-28"]
    )
  })
})
