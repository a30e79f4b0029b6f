import { assert, describe, it } from "@effect/vitest"
import { type Place, placeAfter } from "../../src/dashboard/pages/calendar/roving.ts"

/** Two weeks of a month. Each day has its number, and most have posts. */
const month = [1, 3, 1, 2, 1, 1, 1, 1, 1, 4, 1, 1, 1, 2]
const walk = (from: Place, ...keys: ReadonlyArray<string>) =>
  keys.reduce<Place | undefined>((place, key) => place && placeAfter(month, place, key, true), from)

describe("The keys that move through the calendar", () => {
  it("Up and down go through a day, and on to the same day of the next week", () => {
    assert.deepStrictEqual(walk({ day: 1, item: 0 }, "ArrowDown"), { day: 1, item: 1 })
    assert.deepStrictEqual(walk({ day: 1, item: 2 }, "ArrowDown"), { day: 8, item: 0 })
    assert.deepStrictEqual(walk({ day: 2, item: 0 }, "ArrowDown"), { day: 9, item: 1 })
    assert.deepStrictEqual(walk({ day: 9, item: 1 }, "ArrowUp", "ArrowUp"), { day: 2, item: 0 })
    assert.deepStrictEqual(walk({ day: 8, item: 0 }, "ArrowUp"), { day: 1, item: 2 })
    assert.isUndefined(walk({ day: 9, item: 3 }, "ArrowDown"))
    assert.isUndefined(walk({ day: 0, item: 0 }, "ArrowUp"))
  })

  it("Left and right go to the days beside, Home and End to those of the week", () => {
    assert.deepStrictEqual(walk({ day: 1, item: 2 }, "ArrowRight"), { day: 2, item: 0 })
    assert.deepStrictEqual(walk({ day: 1, item: 2 }, "ArrowLeft"), { day: 0, item: 0 })
    assert.deepStrictEqual(walk({ day: 6, item: 0 }, "ArrowRight"), { day: 7, item: 0 })
    assert.deepStrictEqual(walk({ day: 9, item: 3 }, "Home"), { day: 7, item: 0 })
    assert.deepStrictEqual(walk({ day: 9, item: 3 }, "End"), { day: 13, item: 1 })
    assert.isUndefined(walk({ day: 13, item: 0 }, "ArrowRight"))
    assert.isUndefined(walk({ day: 1, item: 0 }, "a"))
  })

  it("Where days are columns, up and down stay in the day, and a lone list has neighbors nowhere", () => {
    assert.isUndefined(placeAfter([2, 2], { day: 0, item: 1 }, "ArrowDown", false))
    assert.deepStrictEqual(placeAfter([2, 2], { day: 0, item: 1 }, "ArrowRight", false), { day: 1, item: 1 })
    assert.deepStrictEqual(placeAfter([3], { day: 0, item: 0 }, "End", false), { day: 0, item: 0 })
  })
})
