import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result } from "effect"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../../src/domain/platformError.ts"
import { reconcileDelay, maxAttempts, retryDelay } from "../../src/domain/retryPolicy.ts"
import { rollUp } from "../../src/domain/rollUp.ts"
import { type Attempt, settle, settleLate } from "../../src/domain/settlement.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const first: Attempt = {
  attempts: 1,
  reconcileAttempts: 0,
  maxReconcileAttempts: 3,
  dueSince: noon,
  now: noon,
  jitter: 0.5
}

const after = (error: PlatformError, attempt: Partial<Attempt> = {}) => {
  const settlement = settle(Result.fail(error), { ...first, ...attempt })
  return settlement._tag === "Retry"
    ? [settlement.error.code, Duration.toSeconds(DateTime.distance(attempt.now ?? noon, settlement.at))]
    : settlement._tag === "Failed"
      ? settlement.error.code
      : settlement._tag
}

describe("settle", () => {
  it("a rejection fails at once", () => assert.strictEqual(after(new Rejected({ message: "" })), "rejected"))

  it("refused credentials fail at once", () =>
    assert.strictEqual(after(new NeedsReauthorization({ message: "" })), "needs_reconnect"))

  it("an unavailable platform is tried again after 30 seconds, doubled each time up to 15 minutes", () => {
    const delays = [1, 2, 3, 5, 6, 11].map((attempts) => after(new Unavailable({ message: "" }), { attempts }))
    assert.deepStrictEqual(
      delays,
      [30, 60, 120, 480, 900, 900].map((seconds) => ["unavailable", seconds])
    )
  })

  it("a rate limit is waited for as long as the platform said", () => {
    const until = DateTime.addDuration(noon, "20 minutes")
    assert.deepStrictEqual(after(new RateLimited({ message: "", until })), ["rate_limited", 1200])
  })

  it("a rate limit that is said to be over is waited for a second", () => {
    assert.deepStrictEqual(after(new RateLimited({ message: "", until: DateTime.makeUnsafe(0) })), ["rate_limited", 1])
  })

  it("the twelfth attempt is the last", () => {
    assert.strictEqual(after(new Unavailable({ message: "" }), { attempts: maxAttempts }), "gave_up")
  })

  it("nothing is tried more than 24 hours after its time", () => {
    assert.strictEqual(
      after(new RateLimited({ message: "", until: DateTime.addDuration(noon, Duration.millis(86_400_001)) })),
      "gave_up"
    )
  })

  it("an unknown outcome is looked for after 15 seconds, a minute and four, whatever was tried before", () => {
    const looks = [0, 1, 2].map((look) =>
      after(new OutcomeUnknown({ message: "" }), { reconcileAttempts: look, attempts: 5 + look })
    )
    assert.deepStrictEqual(
      looks,
      [15, 60, 240].map((seconds) => ["outcome_unknown", seconds])
    )
    assert.strictEqual(
      after(new OutcomeUnknown({ message: "" }), { reconcileAttempts: 3, attempts: 8 }),
      "outcome_unknown"
    )
  })

  it("an unknown outcome ends with the attempts even where looking is harmless", () => {
    assert.strictEqual(
      after(new OutcomeUnknown({ message: "" }), {
        reconcileAttempts: 11,
        attempts: 12,
        maxReconcileAttempts: Number.MAX_SAFE_INTEGER
      }),
      "outcome_unknown"
    )
  })
})

describe("settle, after a look for an earlier send", () => {
  const look = (error: PlatformError, attempt: Partial<Attempt> = {}) => {
    const settlement = settle(Result.fail(error), { ...first, attempts: 2, reconcileAttempts: 1, ...attempt })
    return settlement._tag === "Published" ? settlement._tag : [settlement._tag, settlement.error.code]
  }

  it("a platform that can't be asked is asked again, and refused access is told", () => {
    assert.deepStrictEqual(look(new Unavailable({ message: "" })), ["Retry", "unavailable"])
    assert.deepStrictEqual(look(new RateLimited({ message: "", until: noon })), ["Retry", "rate_limited"])
    assert.deepStrictEqual(look(new NeedsReauthorization({ message: "" })), ["Failed", "needs_reconnect"])
  })

  it("the last attempt leaves it to a person, whatever it met", () => {
    const last = { attempts: maxAttempts }
    assert.deepStrictEqual(look(new Unavailable({ message: "" }), last), ["Failed", "outcome_unknown"])
    assert.deepStrictEqual(look(new RateLimited({ message: "", until: noon }), last), ["Failed", "outcome_unknown"])
  })
})

describe("retryDelay", () => {
  it("is spread by a fifth to either side", () => {
    assert.strictEqual(Duration.toSeconds(retryDelay(1, 0)), 24)
    assert.isBelow(Duration.toSeconds(retryDelay(1, 0.999)), 36)
  })

  it("a look is never later than a quarter of an hour", () =>
    assert.strictEqual(Duration.toMinutes(reconcileDelay(9)), 15))
})

describe("settleLate", () => {
  const late = DateTime.addDuration(noon, Duration.millis(86_400_001))
  it("a post that is found within 24 hours is sent", () => {
    assert.isUndefined(settleLate({ ...first, now: DateTime.addDuration(noon, "24 hours") }))
  })
  it("later it is missed, or given up where it had been tried", () => {
    const code = (attempts: number) => {
      const settlement = settleLate({ ...first, attempts, now: late })
      return settlement?._tag === "Failed" ? settlement.error.code : undefined
    }
    assert.deepStrictEqual([code(1), code(2)], ["missed", "gave_up"])
  })
})

describe("rollUp", () => {
  it.each([
    [["published"], "published"],
    [["published", "published"], "published"],
    [["failed"], "failed"],
    [["published", "failed"], "failed"],
    [["published", "pending"], "publishing"],
    [["failed", "pending"], "publishing"],
    [["failed", "publishing"], "publishing"]
  ] as const)("targets %j make a post %s", (targets, post) => assert.strictEqual(rollUp(targets), post))
})
