import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { mayBeOutSince, type Plan, type PlannedClaim, planAttempt } from "../../../src/domain/publishing/attemptPlan.ts"
import { looksBeforeResend, maxAttempts } from "../../../src/domain/publishing/retryPolicy.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const at = (hours: number) => DateTime.add(noon, { hours })

const uploads = { uploads: [{ id: "1" }] }
const prepared = { text: "Hello" }
const refusedFiles = { uploadFailure: { code: "needs_reconnect", message: "Connect it again", retryable: true } }

const plain: PlannedClaim = {
  accountId: "ada",
  attempts: 1,
  dueSince: noon,
  integration: { accountId: "ada", connected: true, username: "@ada" },
  media: [],
  part: 1,
  parts: 1,
  prepared: null,
  reconcileAttempts: 0,
  reconcileFrom: null,
  reconcileText: null,
  reconcileUntil: null,
  resendOrdered: false,
  sentAt: null,
  text: "Hello"
}

/** The plan's steps, from the first one to the one that ends it where nothing is found. */
const stepsOf = (plan: Plan): ReadonlyArray<Plan> => ("otherwise" in plan ? [plan, ...stepsOf(plan.otherwise)] : [plan])

const plan = (claim: Partial<PlannedClaim>, now = noon) =>
  stepsOf(planAttempt({ ...plain, ...claim }, now)).map(({ _tag }) => _tag)

const random = seededRandom(20_300_131)
const pick = <A>(...values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
const randomTime = () => at(Math.floor(random() * 34) - 3)
const maybeTime = () => pick(null, randomTime())

const randomClaim = (): PlannedClaim => ({
  accountId: pick("ada", "ada", "ada", "bob"),
  attempts: pick(1, 2, maxAttempts, maxAttempts + 1),
  dueSince: randomTime(),
  integration: { accountId: "ada", connected: pick(true, true, true, false), username: "@ada" },
  media: pick([], [], ["file"]),
  part: pick(1, 2),
  parts: pick(2, 25),
  prepared: pick<PlannedClaim["prepared"]>(null, uploads, prepared, refusedFiles),
  reconcileAttempts: pick(1, 2, looksBeforeResend, looksBeforeResend + 1),
  reconcileFrom: maybeTime(),
  reconcileText: pick(null, "Hello", "Hello before"),
  reconcileUntil: maybeTime(),
  resendOrdered: pick(true, false),
  sentAt: maybeTime(),
  text: "Hello"
})

const cases = Array.from({ length: 20_000 }, () => {
  const claim = randomClaim()
  const now = randomTime()
  return { claim, now, steps: stepsOf(planAttempt(claim, now)) }
})

/** Checks what holds of the steps that are planned for any claim at any time, and says for which one it does not. */
const assertAlways = (holds: (claim: PlannedClaim, steps: ReadonlyArray<Plan>, now: DateTime.Utc) => void) => {
  for (const each of cases) {
    try {
      holds(each.claim, each.steps, each.now)
    } catch (cause) {
      throw new Error(`Not of ${JSON.stringify(each)}`, { cause })
    }
  }
}

describe("planAttempt", () => {
  it("A post that was never sent is sent at once", () => assert.deepStrictEqual(plan({}), ["Send"]))

  it("A post with files waits for their upload, and is sent once they are there", () => {
    assert.deepStrictEqual(plan({ media: ["file"] }), ["AwaitUpload"])
    assert.deepStrictEqual(plan({ media: ["file"], prepared: uploads }), ["Send"])
  })

  it("Files that were refused with the account are uploaded again once it is connected, and fail their post until then", () => {
    assert.deepStrictEqual(plan({ media: ["file"], prepared: refusedFiles }), ["AwaitUpload"])
    assert.deepStrictEqual(
      plan({ media: ["file"], prepared: refusedFiles, integration: { ...plain.integration, connected: false } }),
      ["Settle"]
    )
    assert.deepStrictEqual(plan({ media: ["file"], prepared: refusedFiles, accountId: "bob" }), ["Settle"])
  })

  it("A post whose files were refused is looked for before it fails, where it may be out already", () => {
    const refused = {
      media: ["file"],
      prepared: { uploadFailure: { ...refusedFiles.uploadFailure, code: "rejected" } }
    }
    assert.deepStrictEqual(plan(refused), ["Settle"])
    assert.deepStrictEqual(plan({ ...refused, reconcileFrom: at(-1) }), ["FindPost", "Settle"])
    assert.deepStrictEqual(plan({ ...refused, reconcileFrom: at(-1), reconcileUntil: at(1) }), ["FindPost", "Refuse"])
    assert.deepStrictEqual(plan({ ...refused, sentAt: noon }), ["FindPost", "Refuse"])
    assert.deepStrictEqual(plan({ ...refused, sentAt: noon, resendOrdered: true }), ["FindPost", "Refuse"])
  })

  it("A send of unknown outcome is reconciled, and one that is to be repeated is looked for first", () => {
    assert.deepStrictEqual(plan({ sentAt: noon, prepared }), ["Reconcile"])
    const again = { sentAt: noon, prepared, resendOrdered: true }
    assert.deepStrictEqual(plan({ ...again, reconcileAttempts: looksBeforeResend }), ["FindPost", "Send"])
    for (const reconcileAttempts of [1, 2]) {
      const refused = stepsOf(planAttempt({ ...plain, ...again, reconcileAttempts }, noon)).at(-1)
      assert.deepInclude(refused, { _tag: "Refuse" })
      assert.strictEqual(refused?._tag === "Refuse" ? refused.error._tag : undefined, "Overloaded")
    }
  })

  it("A post that another process may have sent is looked for, with the text from before a change too", () => {
    assert.deepStrictEqual(plan({ reconcileFrom: at(-1) }), ["FindPost", "Send"])
    assert.deepStrictEqual(plan({ reconcileFrom: at(-1), reconcileText: "Hello before" }), [
      "FindEarlierText",
      "FindPost",
      "Send"
    ])
  })

  it("A post that was due before the database was restored is left to a person where it is not found", () =>
    assert.deepStrictEqual(plan({ reconcileFrom: at(-1), reconcileUntil: at(1) }), ["FindPost", "Refuse"]))

  it("A post that is a day late is not sent, and is still looked for where it may be out", () => {
    assert.deepStrictEqual(plan({}, at(25)), ["Settle"])
    assert.deepStrictEqual(plan({ reconcileFrom: at(-1) }, at(25)), ["FindPost", "Settle"])
    assert.deepStrictEqual(plan({ sentAt: noon, prepared, resendOrdered: true }, at(25)), ["Reconcile"])
  })

  it("A post of another account than the connected one, or of one that refuses access, is not attempted", () => {
    assert.deepStrictEqual(plan({ accountId: "bob" }), ["Refuse"])
    assert.deepStrictEqual(plan({ accountId: "bob", sentAt: noon, prepared }), ["Refuse"])
    assert.deepStrictEqual(plan({ integration: { ...plain.integration, connected: false } }), ["Refuse"])
  })

  it("A limit holds a thread that certainly has not begun, and changes no other plan", () => {
    const short = { message: "X takes less", remaining: 1, limit: 100 }
    let held = 0
    assertAlways((claim, steps, now) => {
      const limited = stepsOf(planAttempt(claim, now, [{ ...short, until: DateTime.add(now, { minutes: 1 }) }]))
      const [first] = steps
      const begins = first?._tag === "Send" && claim.part === 1
      const isLate = DateTime.isGreaterThan(now, DateTime.add(claim.dueSince, { hours: 22, minutes: 59 }))
      if (!begins || isLate) return assert.deepStrictEqual(limited, steps)
      held += 1
      assert.strictEqual(mayBeOutSince(claim), null)
      assert.deepStrictEqual(
        limited.map((step) => (step._tag === "Settle" ? step.settlement._tag : step._tag)),
        ["Retry"]
      )
    })
    assert.isAbove(held, 100)
  })

  it("The drawn claims lead to every step, and to a send after each kind of look", () => {
    const drawn = new Set(cases.map(({ steps }) => steps.map(({ _tag }) => _tag).join(" ")))
    for (const steps of [
      "Settle",
      "Refuse",
      "AwaitUpload",
      "Reconcile",
      "Send",
      "FindPost Send",
      "FindPost Refuse",
      "FindPost Settle",
      "FindEarlierText FindPost Send"
    ]) {
      assert.isTrue(drawn.has(steps), steps)
    }
  })

  it("Nothing that may be out is planned to be sent before the platform was asked for it", () =>
    assertAlways((claim, steps) => {
      const sent = steps.findIndex(({ _tag }) => _tag === "Send")
      if (sent === -1 || mayBeOutSince(claim) === null) return
      assert.include(
        steps.slice(0, sent).map(({ _tag }) => _tag),
        "FindPost"
      )
    }))

  it("A send of unknown outcome is repeated only where the platform has said that it did not take it", () =>
    assertAlways((claim, steps) => {
      if (claim.sentAt === null || claim.resendOrdered) return
      assert.isFalse(steps.some(({ _tag }) => _tag === "Send"))
    }))

  it("A send that may be out is repeated only by an attempt that is the third look for it, or a later one", () =>
    assertAlways((claim, steps) => {
      if (claim.sentAt === null || claim.reconcileAttempts >= looksBeforeResend) return
      assert.isFalse(steps.some(({ _tag }) => _tag === "Send"))
    }))

  it("A look covers every time at which the post may have been sent", () =>
    assertAlways(({ reconcileFrom, reconcileUntil, sentAt }, steps) => {
      const isBefore = (time: DateTime.Utc, other: DateTime.Utc | null | undefined) =>
        other === null || other === undefined || DateTime.isLessThanOrEqualTo(time, other)
      const covers = (step: Plan) => {
        if (step._tag !== "FindPost" && step._tag !== "FindEarlierText") return true
        const { from, until } = step.period
        const ends = [sentAt, reconcileUntil].every((end) => end === null || isBefore(end, until))
        return ends && isBefore(from, sentAt) && isBefore(from, reconcileFrom)
      }
      assert.isTrue(steps.every((step) => covers(step)))
    }))

  it("A text from before a change is looked for wherever its post is", () =>
    assertAlways((claim, steps) => {
      if (claim.reconcileText === null || claim.reconcileText === claim.text) return
      const tags = new Set(steps.map(({ _tag }) => _tag))
      assert.strictEqual(tags.has("FindEarlierText"), tags.has("FindPost"))
    }))

  it("Nothing is sent late, after the last attempt, without its files, or with an account that can't take it", () =>
    assertAlways((claim, steps, now) => {
      if (!steps.some(({ _tag }) => _tag === "Send")) return
      assert.isTrue(DateTime.isLessThanOrEqualTo(now, DateTime.add(claim.dueSince, { hours: 24 })))
      assert.isAtMost(claim.attempts, maxAttempts)
      assert.isTrue(claim.media.length === 0 || claim.prepared !== null)
      assert.notStrictEqual(claim.prepared, refusedFiles)
      assert.strictEqual(claim.accountId, claim.integration.accountId)
      assert.isTrue(claim.integration.connected)
    }))

  it("A plan always ends after three steps at most, of which at most one sends", () =>
    assertAlways((_, steps) => {
      assert.isAtMost(steps.length, 3)
      const ends = ["Settle", "Refuse", "AwaitUpload", "Reconcile", "Send"]
      assert.include(ends, steps.at(-1)?._tag)
      for (const { _tag } of steps.slice(0, -1)) assert.include(["FindEarlierText", "FindPost"], _tag)
    }))
})
