import { assert, describe, it } from "vitest"
import { describeWaiting } from "../../src/domain/accounts/accountChange.ts"
import { counted } from "../../src/domain/counted.ts"

describe("counted", () => {
  it("One is in the singular, none and more are in the plural", () => {
    const texts = [0, 1, 2, 1_234].map((count) => counted(count, "target"))
    assert.deepStrictEqual(texts, ["0 targets", "1 target", "2 targets", "1,234 targets"])
    assert.deepStrictEqual([counted(1, "index", "indexes"), counted(2, "index", "indexes")], ["1 index", "2 indexes"])
  })

  it("What waits for an account is counted in sentences", () => {
    assert.strictEqual(describeWaiting({ drafts: 0, failed: 0, scheduled: 1 }), "1 scheduled post waits")
    assert.strictEqual(describeWaiting({ drafts: 2, failed: 1, scheduled: 0 }), "2 drafts and 1 failed post wait")
  })
})
