import { assert, describe, it } from "@effect/vitest"
import { keptTime } from "../../src/dashboard/pages/compose/keptTime.ts"

const now = new Date("2026-10-20T10:00:00Z")

describe("The time of what was written for a post that can't be changed any more", () => {
  it("A draft of it keeps a time that is still to come", () => {
    assert.strictEqual(keptTime("2026-10-20T10:00:01.000Z", now), "2026-10-20T10:00:01.000Z")
  })

  it("A draft of it has no time where that has passed, which would be refused", () => {
    assert.isNull(keptTime("2026-10-20T10:00:00.000Z", now))
    assert.isNull(keptTime(null, now))
  })
})
