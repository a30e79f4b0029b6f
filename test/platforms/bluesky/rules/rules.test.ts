import { assert, describe, it } from "@effect/vitest"
import { TargetId } from "../../../../src/domain/ids.ts"
import { targetIdsOfKey } from "../../../../src/platforms/bluesky/rules/rules.ts"
import { recordKey } from "../../../../src/platforms/bluesky/postRecord.ts"

describe("targetIdsOfKey", () => {
  it("The target of a record is among those that its key says, for each part of a thread", () => {
    for (const target of [
      "01a1fc17-0000-7000-8000-0000000a1b2c",
      "01b8b4dd-1e3a-7fff-bfff-ffffffffffff",
      "01b8b4dd-1e3a-7000-8000-0000000003e7",
      // The microsecond, the millisecond, and the second of these have keys that a PDS refuses.
      "01a1caca-9243-7000-8000-00000000039f",
      "01a1f2fd-490d-7000-8000-000000000138",
      "01a6b5ad-5559-7000-8000-01090000011f"
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
