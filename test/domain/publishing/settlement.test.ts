import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result } from "effect"
import {
  ApplicationRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  Overloaded,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../../../src/domain/publishing/platformError.ts"
import { reconcileDelay, maxAttempts, retryDelay } from "../../../src/domain/publishing/retryPolicy.ts"
import { rollUp } from "../../../src/domain/publishing/rollUp.ts"
import {
  type Attempt,
  holdsWithoutClaim,
  mayBePublished,
  type Settlement,
  settle,
  settleDropped,
  settleLate,
  settleMaking,
  settleTaken
} from "../../../src/domain/publishing/settlement.ts"
import { settleUpload } from "../../../src/domain/publishing/uploadPolicy.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const first: Attempt = {
  attempts: 1,
  reconcileAttempts: 0,
  maxReconcileAttempts: 3,
  dueSince: noon,
  now: noon,
  jitter: 0.5,
  resendOrdered: false,
  reconcileFrom: null
}

const settleFirst = (error: PlatformError, attempt: Partial<Attempt> = {}) => {
  const settlement = settle(Result.fail(error), { ...first, ...attempt })
  return settlement._tag === "Retry"
    ? [settlement.error.code, Duration.toSeconds(DateTime.distance(attempt.now ?? noon, settlement.at))]
    : settlement._tag === "Failed"
      ? settlement.error.code
      : settlement._tag
}

describe("settle", () => {
  it("A rejection fails at once", () => assert.strictEqual(settleFirst(new Rejected({ message: "" })), "rejected"))

  it("Refused credentials fail at once", () =>
    assert.strictEqual(settleFirst(new NeedsReauthorization({ message: "" })), "needs_reconnect"))

  it("An unavailable platform is retried after 30 seconds, doubled each time up to 15 minutes", () => {
    const delays = [1, 2, 3, 5, 6, 11].map((attempts) => settleFirst(new Unavailable({ message: "" }), { attempts }))
    assert.deepStrictEqual(
      delays,
      [30, 60, 120, 480, 900, 900].map((seconds) => ["unavailable", seconds])
    )
  })

  it("A look that begins more than 24 hours late has its twelve attempts, and then a person decides", () => {
    const late = { now: DateTime.addDuration(noon, "3 days"), reconcileFrom: noon }
    const unreadable = new Unavailable({ message: "" })
    assert.deepStrictEqual(settleFirst(unreadable, late), ["unavailable", 30])
    assert.deepStrictEqual(settleFirst(unreadable, { ...late, attempts: maxAttempts - 1 }), ["unavailable", 900])
    assert.strictEqual(settleFirst(unreadable, { ...late, attempts: maxAttempts }), "outcome_unknown")
    const sent = { ...late, attempts: 2, reconcileFrom: null, reconcileAttempts: 1 }
    assert.deepStrictEqual(settleFirst(unreadable, sent), ["unavailable", 60])
    assert.deepStrictEqual(settleFirst(new OutcomeUnknown({ message: "" }), sent), ["outcome_unknown", 60])
  })

  it("All looks that begin more than 24 hours late take at most another 24 hours", () => {
    const now = DateTime.addDuration(noon, "3 days")
    const limited = (wait: Duration.Input) =>
      settleFirst(new RateLimited({ message: "", until: DateTime.addDuration(now, wait) }), {
        now,
        reconcileFrom: noon
      })
    assert.deepStrictEqual(limited("2 hours"), ["rate_limited", 7200])
    assert.strictEqual(limited("121 minutes"), "outcome_unknown")
  })

  it("An unreadable look within 24 hours of the due time ends after twelve attempts too", () => {
    const unreadable = new Unavailable({ message: "" })
    assert.strictEqual(settleFirst(unreadable, { reconcileFrom: noon, attempts: maxAttempts }), "outcome_unknown")
  })

  it("That a post went out in another version is left to a person and remembered", () => {
    const error = new OutcomeUnknown({ message: "", conclusive: true, otherVersion: true })
    const settlement = settle(Result.fail(error), { ...first, reconcileFrom: noon })
    assert.deepInclude(settlement, { _tag: "Failed", otherVersion: true })
    assert.strictEqual(settleFirst(error), "outcome_unknown")
  })

  it("A rate-limited target is retried at the time that the platform gave", () => {
    const until = DateTime.addDuration(noon, "20 minutes")
    assert.deepStrictEqual(settleFirst(new RateLimited({ message: "", until })), ["rate_limited", 1200])
  })

  it("A rate limit that has ended already is retried after a second", () => {
    assert.deepStrictEqual(settleFirst(new RateLimited({ message: "", until: DateTime.makeUnsafe(0) })), [
      "rate_limited",
      1
    ])
  })

  it("The twelfth attempt is the last", () => {
    assert.strictEqual(settleFirst(new Unavailable({ message: "" }), { attempts: maxAttempts }), "gave_up")
  })

  it("A target is not retried more than 24 hours after its due time", () => {
    assert.strictEqual(
      settleFirst(new RateLimited({ message: "", until: DateTime.addDuration(noon, Duration.millis(86_400_001)) })),
      "gave_up"
    )
  })

  it("A rate limit that lasts longer than the post may be late fails at once, and says why", () => {
    const until = DateTime.addDuration(noon, "25 hours")
    const limited = new RateLimited({ message: "X accepts no more requests from this account for now", until })
    const message =
      "Given up after 1 attempt. The last one: X accepts no more requests from this account for now, " +
      "and the limit lasts longer than the post may be late"
    assert.deepInclude(settle(Result.fail(limited), first), {
      error: { code: "gave_up", message, retryable: true }
    })
    const searched = settle(Result.fail(limited), { ...first, reconcileFrom: noon })
    assert.notInclude(JSON.stringify(searched), "the limit lasts longer")
    const upload = settleUpload(limited, { attempts: 1, dueSince: noon, jitter: 0.5, now: noon })
    assert.match(upload.error.message, /and the limit lasts longer than the post may be late$/)
    const last = { ...first, attempts: maxAttempts, now: DateTime.addDuration(noon, "1 hour") }
    const short = settle(Result.fail(new RateLimited({ message: "Limited", until: last.now })), last)
    assert.deepInclude(short, {
      error: { code: "gave_up", message: "Given up after 12 attempts. The last one: Limited", retryable: true }
    })
  })

  it("An unknown outcome is reconciled after 15 seconds, one minute and four minutes, whatever the number of attempts", () => {
    const delays = [0, 1, 2].map((reconcileAttempts) =>
      settleFirst(new OutcomeUnknown({ message: "" }), { reconcileAttempts, attempts: 5 + reconcileAttempts })
    )
    assert.deepStrictEqual(
      delays,
      [15, 60, 240].map((seconds) => ["outcome_unknown", seconds])
    )
    assert.strictEqual(
      settleFirst(new OutcomeUnknown({ message: "" }), { reconcileAttempts: 3, attempts: 8 }),
      "outcome_unknown"
    )
  })

  it("An unknown outcome fails after the last attempt even if reconciling is idempotent", () => {
    assert.strictEqual(
      settleFirst(new OutcomeUnknown({ message: "" }), {
        reconcileAttempts: 11,
        attempts: 12,
        maxReconcileAttempts: Number.MAX_SAFE_INTEGER
      }),
      "outcome_unknown"
    )
  })
})

describe("settle after a platform's refusal for now", () => {
  const settled = (error: PlatformError, attempt: Partial<Attempt> = {}) => {
    const settlement = settle(Result.fail(error), { ...first, ...attempt })
    return settlement._tag === "Published"
      ? settlement._tag
      : [settlement._tag, settlement.error.code, settlement.error.retryable, settlement.resend]
  }

  it("A post that an overloaded platform did not take is to be sent again once a look has not found it", () => {
    assert.deepStrictEqual(settled(new Overloaded({ message: "" })), ["Retry", "unavailable", true, true])
  })

  it("An overload to the end gives up with a warning to look first, and a person's order looks first as well", () => {
    const last = { attempts: maxAttempts, reconcileAttempts: 1, resendOrdered: true }
    assert.deepStrictEqual(settled(new Overloaded({ message: "" }), last), ["Failed", "gave_up", true, true])
    const settlement = settle(Result.fail(new Overloaded({ message: "" })), { ...first, ...last })
    assert.include(settlement._tag === "Failed" ? settlement.error.message : "", "may have been published already")
    assert.isTrue(mayBePublished(settlement))
  })

  it("Looks that precede repeated sends are not counted as looks for the last of them", () => {
    const repeated = { attempts: 9, reconcileAttempts: 3, resendOrdered: true }
    assert.deepStrictEqual(settled(new OutcomeUnknown({ message: "" }), repeated), [
      "Retry",
      "outcome_unknown",
      true,
      undefined
    ])
  })

  it("A refused application is retried after a quarter of an hour, doubled each time up to two hours", () => {
    const refused = new ApplicationRefused({ message: "", reason: "credits" })
    const delays = [1, 2, 3, 4, 11].map((attempts) => settleFirst(refused, { attempts }))
    assert.deepStrictEqual(
      delays,
      [900, 1800, 3600, 7200, 7200].map((seconds) => ["unavailable", seconds])
    )
    assert.deepStrictEqual(settled(refused, { attempts: maxAttempts }), ["Failed", "gave_up", true, undefined])
  })

  it("An outcome that looking again would tell no more of is left to a person at once", () => {
    assert.deepStrictEqual(settled(new OutcomeUnknown({ message: "", conclusive: true })), [
      "Failed",
      "outcome_unknown",
      false,
      undefined
    ])
  })

  it("The last look for a post that an unknown process may have sent leaves it to a person if it fails", () => {
    assert.deepStrictEqual(settled(new Unavailable({ message: "" }), { attempts: maxAttempts, reconcileFrom: noon }), [
      "Failed",
      "outcome_unknown",
      false,
      undefined
    ])
  })
})

describe("holdsWithoutClaim", () => {
  const rejected = settle(Result.fail(new Rejected({ message: "" })), first)
  const publication = settle(Result.succeed({ platformPostId: "1", url: null }), first)

  it("A publication holds, and so does a rejection of a first send", () => {
    assert.isTrue(holdsWithoutClaim(publication, false))
    assert.isTrue(holdsWithoutClaim(publication, true))
    assert.isTrue(holdsWithoutClaim(rejected, false))
  })

  it("A rejection of a repeated send, a retry and any other failure do not hold", () => {
    assert.isFalse(holdsWithoutClaim(rejected, true))
    for (const error of [
      new OutcomeUnknown({ message: "", conclusive: true }),
      new NeedsReauthorization({ message: "" }),
      new Unavailable({ message: "" })
    ]) {
      assert.isFalse(holdsWithoutClaim(settle(Result.fail(error), first), false))
    }
  })
})

describe("settle after a reconciliation", () => {
  const settleReconciliation = (error: PlatformError, attempt: Partial<Attempt> = {}) => {
    const settlement = settle(Result.fail(error), { ...first, attempts: 2, reconcileAttempts: 1, ...attempt })
    return settlement._tag === "Published" ? settlement._tag : [settlement._tag, settlement.error.code]
  }

  it("A platform that can't be reached is retried, and refused access fails", () => {
    assert.deepStrictEqual(settleReconciliation(new Unavailable({ message: "" })), ["Retry", "unavailable"])
    assert.deepStrictEqual(settleReconciliation(new RateLimited({ message: "", until: noon })), [
      "Retry",
      "rate_limited"
    ])
    assert.deepStrictEqual(settleReconciliation(new NeedsReauthorization({ message: "" })), [
      "Failed",
      "needs_reconnect"
    ])
  })

  it("The last attempt leaves the outcome to a person, whatever its error", () => {
    const last = { attempts: maxAttempts }
    assert.deepStrictEqual(settleReconciliation(new Unavailable({ message: "" }), last), ["Failed", "outcome_unknown"])
    assert.deepStrictEqual(settleReconciliation(new RateLimited({ message: "", until: noon }), last), [
      "Failed",
      "outcome_unknown"
    ])
  })
})

describe("retryDelay", () => {
  it("Jitter spreads the delay by a fifth in both directions", () => {
    assert.strictEqual(Duration.toSeconds(retryDelay(1, 0)), 24)
    assert.isBelow(Duration.toSeconds(retryDelay(1, 0.999)), 36)
  })

  it("A reconciliation is delayed by a quarter of an hour at most", () =>
    assert.strictEqual(Duration.toMinutes(reconcileDelay(9)), 15))
})

describe("settleLate", () => {
  const late = DateTime.addDuration(noon, Duration.millis(86_400_001))
  it("A target that is claimed within 24 hours is sent", () => {
    assert.isUndefined(settleLate({ ...first, now: DateTime.addDuration(noon, "24 hours") }))
  })
  it("A target that is claimed later is missed, or given up if it was attempted before", () => {
    const code = (attempts: number) => {
      const settlement = settleLate({ ...first, attempts, now: late })
      return settlement?._tag === "Failed" ? settlement.error.code : undefined
    }
    assert.deepStrictEqual([code(1), code(2)], ["missed", "gave_up"])
  })
  it("A target that was given up says after how many attempts, of which there may be one", () => {
    const message = (settlement: Settlement | undefined) =>
      settlement?._tag === "Failed" ? settlement.error.message : undefined
    const error = new RateLimited({ message: "Too many", until: DateTime.addDuration(noon, "2 days") })
    const settled = (attempts: number) => message(settle(Result.fail(error), { ...first, attempts }))
    const words = "The last one: Too many, and the limit lasts longer than the post may be late"
    assert.strictEqual(settled(1), `Given up after 1 attempt. ${words}`)
    assert.strictEqual(settled(2), `Given up after 2 attempts. ${words}`)
    assert.match(message(settleLate({ ...first, attempts: 2, now: late })) ?? "", /, after 1 attempt$/)
    assert.match(message(settleLate({ ...first, attempts: 3, now: late })) ?? "", /, after 2 attempts$/)
  })
})

describe("settleMaking and settleTaken", () => {
  const hours = (count: number) => DateTime.add(noon, { hours: count })
  const taken = { askAfter: Duration.minutes(1), now: noon, since: null, longest: Duration.hours(6) }
  const begun = { container: "7" }
  const making = { askAfter: Duration.minutes(1), begun, dueSince: noon, now: noon, mayBeOut: false }

  it("A platform is asked again after its time, and never at once", () => {
    const at = (askAfter: Duration.Duration) => settleTaken({ ...taken, askAfter })
    assert.deepStrictEqual(at(Duration.minutes(1)), { _tag: "Taken", at: DateTime.add(noon, { minutes: 1 }) })
    assert.deepInclude(at(Duration.zero), { at: DateTime.add(noon, { seconds: 1 }) })
    const preparing = settleMaking({ ...making, askAfter: Duration.zero })
    assert.deepInclude(preparing, { at: DateTime.add(noon, { seconds: 1 }), begun })
  })

  it("A post that was taken is asked about a last time when its platform's longest time ends", () => {
    const at = (now: DateTime.Utc) => settleTaken({ ...taken, now, since: noon, askAfter: Duration.hours(4) })
    assert.deepInclude(at(hours(1)), { _tag: "Taken", at: hours(5) })
    assert.deepInclude(at(hours(5)), { _tag: "Taken", at: hours(6) })
    const ended = at(hours(6))
    assert.deepStrictEqual([ended._tag, ended._tag === "Failed" && ended.error.code], ["Failed", "outcome_unknown"])
  })

  it("What is made first is given up where it would not be ready within 24 hours of the post's time", () => {
    const at = (askAfter: Duration.Duration, mayBeOut = false) => {
      const settled = settleMaking({ ...making, askAfter, mayBeOut })
      return settled._tag === "Failed" ? settled.error.code : settled._tag
    }
    assert.strictEqual(at(Duration.subtract(Duration.hours(24), Duration.millis(1))), "Making")
    assert.strictEqual(at(Duration.hours(24)), "gave_up")
    assert.strictEqual(at(Duration.hours(24), true), "outcome_unknown")
  })

  it("A post that the platform took may be published, and one that it makes something of is not", () => {
    assert.isTrue(mayBePublished(settleTaken(taken)))
    assert.isFalse(mayBePublished(settleMaking(making)))
    assert.isFalse(mayBePublished(settleDropped("It is too dark")))
  })
})

describe("rollUp", () => {
  it.each([
    [["published"], "publishing", "published"],
    [["published", "published"], "publishing", "published"],
    [["published", "published"], "scheduled", "published"],
    [["failed"], "publishing", "failed"],
    [["published", "failed"], "draft", "failed"],
    [["published", "pending"], "publishing", "publishing"],
    [["published", "pending"], "scheduled", "scheduled"],
    [["failed", "pending"], "draft", "draft"],
    [["failed", "pending"], "failed", "publishing"],
    [["failed", "publishing"], "publishing", "publishing"]
  ] as const)("Targets that are %j make a post that was %s %s", (targets, before, after) =>
    assert.strictEqual(rollUp(targets, before), after)
  )
})
