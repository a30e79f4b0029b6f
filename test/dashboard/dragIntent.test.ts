import { assert, describe, it } from "@effect/vitest"
import { dragIntent, edgeScroll } from "../../src/dashboard/pages/calendar/dragIntent.ts"

describe("A drag over the calendar", () => {
  it("A pointer that moves less than five pixels clicks", () => {
    assert.strictEqual(dragIntent({ x: 3, y: 3, isTouch: false, canDrag: true }), "click")
    assert.strictEqual(dragIntent({ x: 0, y: 4.9, isTouch: true, canDrag: true }), "click")
  })

  it("Further, it drags what can be dragged, is refused otherwise, and a finger scrolls", () => {
    assert.strictEqual(dragIntent({ x: 3, y: 4, isTouch: false, canDrag: true }), "drag")
    assert.strictEqual(dragIntent({ x: -5, y: 0, isTouch: false, canDrag: false }), "refused")
    assert.strictEqual(dragIntent({ x: 0, y: 5, isTouch: true, canDrag: true }), "scroll")
  })

  const area = { top: 100, bottom: 700, height: 600 }

  it("It scrolls within 40 pixels of an edge, up or down, and nowhere else", () => {
    assert.isBelow(edgeScroll({ y: 139, area, millis: 16, rest: 0 }).step, 0)
    assert.isAbove(edgeScroll({ y: 661, area, millis: 16, rest: 0 }).step, 0)
    assert.deepStrictEqual(edgeScroll({ y: 140, area, millis: 16, rest: 0.9 }), { step: 0, rest: 0 })
    assert.deepStrictEqual(edgeScroll({ y: 660, area, millis: 16, rest: 0.9 }), { step: 0, rest: 0 })
  })

  it("It scrolls a sixth of the area in 400 ms, whatever the frames, as fractions of pixels add up", () => {
    for (const millis of [4, 7, 16, 40]) {
      let [scrolled, rest] = [0, 0]
      for (let frame = 0; frame < 400 / millis; frame++) {
        const next = edgeScroll({ y: 690, area, millis, rest })
        scrolled += next.step
        rest = next.rest
      }
      assert.closeTo(scrolled, area.height / 6, 2)
    }
  })

  it("After a long frame, it makes up for 50 ms at most", () => {
    const { step } = edgeScroll({ y: 690, area, millis: 5000, rest: 0 })
    assert.strictEqual(step, edgeScroll({ y: 690, area, millis: 50, rest: 0 }).step)
  })
})
