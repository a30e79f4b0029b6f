import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../world.ts"
import { nextTargetId, TargetId } from "../../../src/domain/ids.ts"
import { richText } from "../../../src/platforms/bluesky/rules/richText.ts"
import { postRecord, recordKey } from "../../../src/platforms/bluesky/postRecord.ts"

const tid = /^[234567abcdefghij][234567a-z]{12}$/

/** The milliseconds since 1970 of a TID. */
const timeOf = (key: string): number => {
  const digits = Array.from(key, (digit) => BigInt("234567abcdefghijklmnopqrstuvwxyz".indexOf(digit)))
  const bits = digits.reduce((value, digit) => (value << 5n) | digit, 0n)
  return Number((bits >> 10n) / 1000n)
}

describe("postRecord", () => {
  it.each([
    ["en", ["en"]],
    ["pt-BR", ["pt-BR"]],
    [null, undefined],
    // Earlier versions stored words, with which Bluesky refuses the whole post.
    ["english", undefined],
    ["de-1901-1901", undefined]
  ])("A post names its workspace's language if Bluesky accepts that: %j", (language, langs) => {
    assert.deepStrictEqual(postRecord(richText("A text"), new Map(), start, { language }).langs, langs)
  })
})

describe("recordKey", () => {
  it("A key depends on nothing but the target's id, so that a restored database computes it again", () => {
    assert.strictEqual(recordKey(TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c")), "3n2s4wxk2dw22")
  })

  it("A key is a TID of the millisecond in which the target was created", () => {
    const key = recordKey(TargetId.make("01b8b4dd-1e3a-7000-8000-0000000a1b2c"))
    assert.match(key, tid)
    assert.strictEqual(timeOf(key), 0x01b8b4dd1e3a)
  })

  it("A target that is created later gets a key that sorts later", () => {
    const first = recordKey(TargetId.make("01b8b4dd-1e3a-7fff-bfff-ffffffffffff"))
    const later = recordKey(TargetId.make("01b8b4dd-1e3b-7000-8000-000000000000"))
    assert.isTrue(first < later)
  })

  it.effect("A thousand targets that a process creates in one millisecond get different keys", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(nextTargetId, 1000)
      assert.strictEqual(new Set(ids.map((id) => recordKey(id))).size, 1000)
    })
  )

  it("The first part of a thread has the key of a post without one, and the others have those of the next microseconds", () => {
    const target = TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c")
    assert.deepStrictEqual(
      [1, 2, 3, 25].map((part) => recordKey(target, part)),
      ["3n2s4wxk2dw22", "3n2s4wxk2dx22", "3n2s4wxk2dy22", "3n2s4wxk2eo22"]
    )
    assert.strictEqual(recordKey(target), recordKey(target, 1))
  })

  it.effect("The keys of any target's parts are different TIDs that sort as the parts do", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(nextTargetId, 500)
      const last = TargetId.make("01b8b4dd-1e3a-7fff-bfff-ffffffffffe7")
      for (const id of [...ids, last]) {
        const keys = Array.from({ length: 25 }, (_, index) => recordKey(id, index + 1))
        assert.deepStrictEqual([...new Set(keys)].toSorted(), keys)
        for (const key of keys) assert.match(key, tid)
      }
    })
  )

  it.each([
    ["01a1caca-9243-7000-8000-00000000039f", "3n222noqqes22", "3n222noqqet22"],
    // Only the key of its second part is refused.
    ["01a1caca-9243-7000-8000-00000000039e", "3n222noqqeq22", "3n222noqqes22"],
    ["01a1f2fd-490d-7000-8000-000000000138", "3n2noqqes2222", "3n2noqqes2322"],
    ["01a6b5ad-5559-7000-8000-01090000011f", "3nnaqqleuabcd", "3nnaqqleuaccd"]
  ])("A key that a PDS refuses as a slur is replaced by a later one, always the same: %s", (target, first, second) => {
    const id = TargetId.make(target)
    assert.deepStrictEqual([recordKey(id), recordKey(id), recordKey(id, 2)], [first, first, second])
  })

  it("A target whose id is not of version 7 gets a valid key too", () => {
    assert.match(recordKey(TargetId.make("ffffffff-ffff-4fff-bfff-ffffffffffff")), tid)
  })
})
