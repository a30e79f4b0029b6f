import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { TargetId } from "../../../src/domain/ids.ts"
import { recordKey } from "../../../src/platforms/bluesky/postRecord.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00.000Z")
const targetId = (end: string) => TargetId.make(`01a1fc17-0000-7000-8000-${end}`)

describe("recordKey", () => {
  it("A key is a valid TID", () => {
    assert.match(recordKey(targetId("0000000a1b2c"), noon), /^[234567abcdefghij][234567a-z]{12}$/)
  })

  it("The same target and time give the same key", () => {
    assert.strictEqual(recordKey(targetId("0000000a1b2c"), noon), recordKey(targetId("0000000a1b2c"), noon))
  })

  it("A later time gives a key that sorts later, whatever the target", () => {
    const later = DateTime.addDuration(noon, "1 millis")
    assert.isBelow(
      recordKey(targetId("ffffffffffff"), noon).localeCompare(recordKey(targetId("000000000000"), later)),
      0
    )
  })

  it("Targets of the same time get different keys", () => {
    const keys = Array.from({ length: 1000 }, (_, index) =>
      recordKey(targetId(index.toString(16).padStart(12, "0")), noon)
    )
    assert.strictEqual(new Set(keys).size, 1000)
  })
})
