import { assert, describe, it } from "@effect/vitest"
import { boundsIn, fitDay, makeRows, neededHeight, weeksInView } from "../../src/dashboard/pages/calendar/monthRows.ts"
import { weeksAround } from "../../src/dashboard/pages/calendar/weeks.ts"

const height = 780
const bounds = boundsIn(height)

describe("The rows of the month", () => {
  it("A day has two lines of text for each post where all fit so, then one, and then says how many are left", () => {
    assert.deepStrictEqual(fitDay(2, 144), { shown: 2, lines: 2 })
    assert.deepStrictEqual(fitDay(3, 200), { shown: 3, lines: 2 })
    assert.deepStrictEqual(fitDay(3, 160), { shown: 3, lines: 1 })
    assert.deepStrictEqual(fitDay(9, 256), { shown: 5, lines: 1 })
    assert.deepStrictEqual(fitDay(5, 32), { shown: 0, lines: 1 })
  })

  it("Where not all posts fit a narrow column, fewer are shown, with two lines each", () => {
    assert.deepStrictEqual(fitDay(9, 256, true), { shown: 3, lines: 2 })
    assert.deepStrictEqual(fitDay(5, 256, true), { shown: 5, lines: 1 })
  })

  it("A row is as high as its fullest day needs, and at least three rows are in view", () => {
    for (let count = 0; count < 60; count++) {
      const needed = neededHeight(count, bounds)
      assert.isAtLeast(needed, bounds.least)
      assert.isAtMost(needed, height / 3)
      const { lines, shown } = fitDay(count, needed)
      if (count <= 4) assert.deepStrictEqual({ lines, shown }, { lines: 2, shown: count })
      assert.isAtLeast(shown, Math.min(count, 5))
    }
  })

  it("Rows are equal until a week needs more than its share, and then the empty ones give way", () => {
    const calm = makeRows(height, new Map([[0, 1]]))
    assert.deepStrictEqual([calm.heightOf(0), calm.heightOf(1), calm.heightOf(90)], [130, 130, 130])
    const busy = makeRows(
      height,
      new Map([
        [0, 3],
        [1, 0],
        [2, 1]
      ])
    )
    assert.deepStrictEqual([0, 1, 2, 3].map(busy.heightOf), [200, 111, 111, 130])
  })

  it("Each pixel belongs to the week whose row it is in", () => {
    const rows = makeRows(height, new Map([-3, -2, -1, 0, 1, 2, 3].map((index) => [index, Math.abs(index) * 2])))
    for (let index = -weeksAround; index <= weeksAround; index++) {
      assert.strictEqual(rows.at(rows.topOf(index)), index)
      assert.strictEqual(rows.at(rows.topOf(index) + rows.heightOf(index) - 1), index)
      assert.strictEqual(rows.topOf(index) + rows.heightOf(index), rows.topOf(index + 1))
    }
    assert.strictEqual(rows.at(1e9), weeksAround)
    assert.strictEqual(rows.at(-1), -weeksAround)
  })

  it("A week whose edge alone overlaps the view, as fractions of pixels do, is not in view", () => {
    const rows = makeRows(height, new Map())
    assert.deepStrictEqual(weeksInView(rows, rows.topOf(0), height), { first: 0, last: 5 })
    assert.deepStrictEqual(weeksInView(rows, rows.topOf(1) - 1, height), { first: 1, last: 6 })
    assert.deepStrictEqual(weeksInView(rows, rows.topOf(0) + 65, height), { first: 0, last: 6 })
  })
})
