import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type PostLimit, waitForLimit } from "../../../src/domain/publishing/threadStart.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const minutes = (count: number) => DateTime.add(noon, { minutes: count })

const thread = { part: 1, parts: 25, dueSince: noon }

const limitOf = (changes: Partial<PostLimit>): PostLimit => ({
  message: "X takes less",
  remaining: 18,
  limit: 100,
  until: minutes(10),
  ...changes
})

/** Until when a thread waits, in minutes from noon; null where it begins. */
const waits = (claim: Partial<typeof thread>, limits: ReadonlyArray<Partial<PostLimit>>, now = noon) => {
  const wait = waitForLimit({ ...thread, ...claim }, limits.map(limitOf), now)
  return wait === undefined ? null : (DateTime.toEpochMillis(wait.at) - DateTime.toEpochMillis(noon)) / 60_000
}

describe("waitForLimit", () => {
  it("A thread waits for the reset while fewer posts remain than it has, and begins where as many do", () => {
    assert.strictEqual(waits({}, [{ remaining: 24 }]), 10)
    assert.strictEqual(waits({}, [{ remaining: 0 }]), 10)
    assert.isNull(waits({}, [{ remaining: 25 }]))
    assert.isNull(waits({}, []))
  })

  it("The wait says why, is a retry that counts as no attempt, and is the platform's limit", () => {
    assert.deepStrictEqual(waitForLimit(thread, [limitOf({})], noon), {
      _tag: "Retry",
      at: minutes(10),
      error: {
        code: "rate_limited",
        message: "X takes less, and this thread has 25. It begins once that limit resets",
        retryable: true
      },
      isUncounted: true
    })
  })

  it("Neither a thread that has begun nor a post of its own waits", () => {
    assert.isNull(waits({ part: 2 }, [{ remaining: 0 }]))
    assert.isNull(waits({ parts: 1 }, [{ remaining: 0 }]))
  })

  it("A limit that is reset by now keeps nothing", () => {
    assert.isNull(waits({}, [{}], minutes(10)))
    assert.strictEqual(waits({}, [{}], minutes(9)), 10)
  })

  it("Of several limits the one is waited for that is reset last, and one with room does not count", () => {
    assert.strictEqual(waits({}, [{ until: minutes(600) }, {}]), 600)
    assert.strictEqual(waits({}, [{}, { remaining: 500, limit: 10_000, until: minutes(600) }]), 10)
  })

  it("A limit that is reset in the last hour of the thread's day, or later, is not waited for", () => {
    const hours = 60
    assert.strictEqual(waits({}, [{ until: minutes(23 * hours) }]), 23 * hours)
    assert.isNull(waits({}, [{ until: minutes(23 * hours + 1) }]))
    assert.strictEqual(waits({}, [{ until: minutes(23 * hours + 1) }, {}]), 10)
    assert.isNull(waits({ dueSince: minutes(-23 * hours) }, [{}]))
  })

  it("A thread that is longer than the limit begins where half of the limit remains", () => {
    assert.strictEqual(waits({}, [{ limit: 10, remaining: 4 }]), 10)
    assert.isNull(waits({}, [{ limit: 10, remaining: 5 }]))
    assert.strictEqual(waits({}, [{ limit: 25, remaining: 24 }]), 10)
    assert.strictEqual(waits({}, [{ limit: null, remaining: 24 }]), 10)
    assert.isNull(waits({}, [{ limit: 0, remaining: 0 }]))
  })
})
