import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result } from "effect"
import { type Plan, planAttempt } from "../../../src/domain/publishing/attemptPlan.ts"
import {
  Overloaded,
  type PlatformError,
  RateLimited,
  Unavailable
} from "../../../src/domain/publishing/platformError.ts"
import { looksBeforeResend, maxAttempts } from "../../../src/domain/publishing/retryPolicy.ts"
import { mayBePublished, ordersResend, settle } from "../../../src/domain/publishing/settlement.ts"
import { looksBefore } from "../../../src/repo/targets/targetChange.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

/** A target's columns that decide whether it is sent again, as the claim, the intent and the settlement write them. */
interface Row {
  attempts: number
  looks: number
  resendOrdered: boolean
  sentAt: DateTime.Utc | null
  status: "pending" | "publishing"
}

/** The last step of a plan, and whether the platform was asked before. */
const lastOf = (plan: Plan, looks = false): { readonly step: Plan; readonly looks: boolean } =>
  "otherwise" in plan ? lastOf(plan.otherwise, true) : { step: plan, looks }

/**
 * Runs a post that X answers with overloads, in whatever order looks fail, processes die and sends are refused for now.
 * Returns when each send began, and how many readable looks came between.
 */
const run = (
  seed: number,
  chances: { readonly unreadable: number; readonly killed: number; readonly refused: number }
) => {
  const random = seededRandom(seed)
  const row: Row = { attempts: 0, looks: 0, resendOrdered: false, sentAt: null, status: "pending" }
  const sends: Array<{ readonly at: DateTime.Utc; readonly looks: number }> = []
  let now = noon
  let readable = 0
  while (true) {
    const takenOver = row.status === "publishing"
    row.attempts += 1
    row.looks = row.sentAt === null ? 0 : takenOver ? Math.max(row.looks, 1) : row.looks + 1
    row.status = "publishing"
    const claim = { ...row, reconcileAttempts: row.looks }
    if (random() < chances.killed && row.attempts < maxAttempts) {
      now = DateTime.add(now, { seconds: 45 })
      continue
    }
    const { looks, step } = lastOf(
      planAttempt(
        {
          ...claim,
          accountId: "ada",
          dueSince: noon,
          integration: { accountId: "ada", connected: true, username: "@ada" },
          media: [],
          part: 1,
          parts: 1,
          prepared: row.sentAt === null ? null : { text: "Hello" },
          reconcileFrom: null,
          reconcileText: null,
          reconcileUntil: null,
          text: "Hello"
        },
        now
      )
    )
    let error: PlatformError | undefined
    if (looks && random() < chances.unreadable) {
      error =
        random() < 0.5
          ? new Unavailable({ message: "" })
          : new RateLimited({ message: "", until: DateTime.add(now, { seconds: 1 }) })
    } else {
      if (looks) readable += 1
      if (step._tag === "Send") {
        row.looks = 0
        row.resendOrdered = false
        row.sentAt = now
        if (random() < chances.refused)
          error = new RateLimited({ message: "", until: DateTime.add(now, { seconds: 1 }) })
        else {
          sends.push({ at: now, looks: readable })
          readable = 0
          error = new Overloaded({ message: "" })
        }
      } else if (step._tag === "Refuse") error = step.error
      else return sends
    }
    const settlement = settle(Result.fail(error), {
      attempts: claim.attempts,
      dueSince: noon,
      jitter: random(),
      maxReconcileAttempts: 3,
      now,
      reconcileAttempts: claim.reconcileAttempts,
      reconcileFrom: null,
      resendOrdered: claim.resendOrdered
    })
    if (settlement._tag !== "Retry") return sends
    if (!mayBePublished(settlement)) {
      row.looks = looksBefore(claim)
      row.resendOrdered = claim.resendOrdered
      row.sentAt = claim.sentAt
    }
    if (ordersResend(settlement)) row.resendOrdered = true
    row.status = "pending"
    now = settlement.at
  }
}

const sequences = (chances: Parameters<typeof run>[1]) => Array.from({ length: 400 }, (_, seed) => run(seed, chances))

const gaps = (sends: ReturnType<typeof run>) =>
  sends.slice(1).map(({ at, looks }, index) => ({
    looks,
    seconds: Duration.toSeconds(DateTime.distance(sends[index]?.at ?? at, at))
  }))

describe("A post that an overloaded platform may have kept", () => {
  it("is sent again only after three looks that could read the timeline, whatever else happens", () => {
    const all = sequences({ unreadable: 0.3, killed: 0.2, refused: 0.1 }).flatMap(gaps)
    assert.isAbove(all.length, 100)
    for (const { looks } of all) assert.isAtLeast(looks, looksBeforeResend)
  })

  it("is sent again about five minutes later where nothing else happens, and later each time", () => {
    for (const sends of sequences({ unreadable: 0, killed: 0, refused: 0 })) {
      const [first, ...later] = gaps(sends).map(({ seconds }) => seconds)
      assert.isTrue(first !== undefined && first >= 315 && first < 319, String(first))
      assert.lengthOf(later, 2)
      assert.isTrue(later.every((seconds) => seconds > 600))
    }
  })

  it("is looked for and sent for an hour at least while the overload lasts", () => {
    for (const sends of sequences({ unreadable: 0, killed: 0, refused: 0 })) {
      const last = sends.at(-1)
      assert.isAbove(last === undefined ? 0 : Duration.toMinutes(DateTime.distance(noon, last.at)), 50)
    }
  })
})
