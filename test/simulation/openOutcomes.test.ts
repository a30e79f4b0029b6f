import { assert, describe, it } from "@effect/vitest"
import type { TargetRow } from "./rows.ts"
import { brokenOutcome } from "./openOutcomes.ts"
import { hour } from "./world.ts"

type Row = Parameters<typeof brokenOutcome>[1]

const failed = (code: "outcome_unknown" | "rejected"): Partial<TargetRow> => ({
  status: "failed",
  error: { code, message: "It failed", retryable: false }
})

const sent = (platform: TargetRow["platform"], prepared: TargetRow["prepared"]): Row => ({
  platform,
  prepared,
  attempts: 2,
  dueSince: 0,
  sentAt: 0,
  status: "publishing",
  error: null
})

const onInstagram = sent("instagram", { container: "17" })
const onFacebook = sent("facebook", { post: "10_12" })

describe("The check of open outcomes", () => {
  it("It notices an outcome that is left to a person although its platform tells it", () => {
    for (const row of [onInstagram, onFacebook, sent("threads", { container: "17" })]) {
      assert.isDefined(brokenOutcome(row, { ...row, ...failed("outcome_unknown") }, hour))
      assert.isUndefined(brokenOutcome(row, { ...row, ...failed("rejected") }, hour))
    }
  })

  it("It notices an outcome that is decided after more than a day and the hours of an outage", () => {
    for (const row of [onInstagram, onFacebook]) {
      assert.isUndefined(brokenOutcome(row, { ...row, status: "published" }, 24 * hour))
      assert.isDefined(brokenOutcome(row, { ...row, status: "published" }, 30 * hour))
      assert.isDefined(brokenOutcome(row, { ...row, ...failed("rejected") }, 30 * hour))
    }
  })

  it("It counts anew from the time when a person orders a failed post again", () => {
    const again = { ...onInstagram, dueSince: 40 * hour }
    assert.isUndefined(brokenOutcome(again, { ...again, ...failed("rejected") }, 41 * hour))
    assert.isDefined(brokenOutcome(again, { ...again, ...failed("rejected") }, 70 * hour))
  })

  it("It excuses an outcome that is asked for after the end of the container, and none before", () => {
    const row = sent("instagram", { container: "17", madeAt: "1970-01-01T00:00:00.000Z" })
    const unknown = { ...row, ...failed("outcome_unknown") }
    assert.isDefined(brokenOutcome(row, unknown, 23 * hour))
    assert.isUndefined(brokenOutcome(row, unknown, 25 * hour))
  })

  it("It excuses a post whose id is not stored, one that was not sent, and one in which all processes died", () => {
    const rows: ReadonlyArray<Row> = [
      sent("facebook", { photos: [] }),
      sent("twitter", { container: "17" }),
      { ...onFacebook, sentAt: null },
      { ...onFacebook, attempts: 13 }
    ]
    for (const row of rows) assert.isUndefined(brokenOutcome(row, { ...row, ...failed("outcome_unknown") }, hour))
  })
})
