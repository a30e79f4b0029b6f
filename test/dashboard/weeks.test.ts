import { assert, describe, it } from "@effect/vitest"
import { startOfWeek, weeksOf } from "../../src/dashboard/pages/calendar/range.ts"
import {
  blocksOf,
  drawnWeeks,
  maxBlocks,
  rowHeightIn,
  weekAt,
  weekIndex,
  weeksInView
} from "../../src/dashboard/pages/calendar/weeks.ts"

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

  it("The month is named after the last day of the second row, so that the week of its first day is in it", () => {
    for (let month = 0; month < 36; month++) {
      const first = new Date(2026, month, 1)
      const { date } = weeksOf(weekAt(startOfWeek(first), -1), 6)
      assert.strictEqual(date.getMonth(), first.getMonth())
    }
  })

  it("A row has room for a day's head and three posts, however low the window", () => {
    assert.strictEqual(rowHeightIn(900), 150)
    assert.strictEqual(rowHeightIn(905), 150)
    assert.strictEqual(rowHeightIn(0), 104)
  })

  it("A week whose edge alone overlaps the view, as fractions of pixels do, is not in view", () => {
    assert.deepStrictEqual(weeksInView(0, 6), { top: 0, bottom: 5 })
    assert.deepStrictEqual(weeksInView(0.99, 6.01), { top: 1, bottom: 6 })
    assert.deepStrictEqual(weeksInView(0.5, 6), { top: 0, bottom: 6 })
    assert.deepStrictEqual(weeksInView(-3, 6), { top: -3, bottom: 2 })
  })

  it("One week is drawn beyond the view at each edge, and the others keep their space", () => {
    assert.deepStrictEqual(drawnWeeks(0, 6), { first: -1, last: 6, before: 155, after: 150 })
    assert.deepStrictEqual(drawnWeeks(-156, 6), { first: -156, last: -150, before: 0, after: 306 })
    assert.deepStrictEqual(drawnWeeks(151, 6), { first: 150, last: 156, before: 306, after: 0 })
  })
})
