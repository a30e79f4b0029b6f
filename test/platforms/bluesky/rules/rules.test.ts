import { assert, describe, it } from "@effect/vitest"
import { TargetId } from "../../../../src/domain/ids.ts"
import { targetIdsOfKey } from "../../../../src/platforms/bluesky/rules/rules.ts"
import { recordKey } from "../../../../src/platforms/bluesky/postRecord.ts"

describe("targetIdsOfKey", () => {
  it("The target of a record is among those that its key says, for each part of a thread", () => {
    for (const target of [
      "01a1fc17-0000-7000-8000-0000000a1b2c",
      "01b8b4dd-1e3a-7fff-bfff-ffffffffffff",
      "01b8b4dd-1e3a-7000-8000-0000000003e7"
    ]) {
      for (const part of [1, 2, 25]) {
        const [from, before] = targetIdsOfKey(recordKey(TargetId.make(target), part)) ?? ["", ""]
        assert.isTrue(from <= target && target < before, `${target} ${part}`)
      }
    }
  })

  it("A key that tells no time has no targets", () => {
    for (const key of ["1", "self", "zzzzzzzzzzzzz", "3n2s4wxk2dw2", "3n2s4wxk2dw201"]) {
      assert.isUndefined(targetIdsOfKey(key), key)
    }
  })
})
