import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { TargetId } from "../../../src/domain/ids.ts"
import { recordKey } from "../../../src/platforms/bluesky/postRecord.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00.000Z")
const target = (end: string) => TargetId.make(`01a1fc17-0000-7000-8000-${end}`)

describe("recordKey", () => {
  it("is a TID that Bluesky takes", () => {
    assert.match(recordKey(target("0000000a1b2c"), noon), /^[234567abcdefghij][234567a-z]{12}$/)
  })

  it("is the same for the same target and moment", () => {
    assert.strictEqual(recordKey(target("0000000a1b2c"), noon), recordKey(target("0000000a1b2c"), noon))
  })

  it("is later for a later moment, whatever the target", () => {
    const later = DateTime.addDuration(noon, "1 millis")
    assert.isBelow(recordKey(target("ffffffffffff"), noon).localeCompare(recordKey(target("000000000000"), later)), 0)
  })

  it("is another for another target of the same moment", () => {
    const keys = Array.from({ length: 1000 }, (_, index) =>
      recordKey(target(index.toString(16).padStart(12, "0")), noon)
    )
    assert.strictEqual(new Set(keys).size, 1000)
  })
})
