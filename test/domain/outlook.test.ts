import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { IntegrationId, PostId } from "../../src/domain/ids.ts"
import { type CheckedOutlook, narrowOutlook } from "../../src/domain/outlook/checkedOutlook.ts"
import { findCollisions, type PlannedSend } from "../../src/domain/outlook/collisions.ts"
import type { Finding } from "../../src/domain/outlook/finding.ts"
import { nextOutlook } from "../../src/domain/outlook/nextOutlook.ts"
import { countStates, mostUrgent, withState } from "../../src/domain/outlook/outlook.ts"
import { describeOutlook, isWorthTelling } from "../../src/domain/outlook/outlookMessage.ts"
import { finishSteps } from "../support/steps.ts"

const at = (time: string) => DateTime.makeUnsafe(`2026-12-01T${time}Z`)

const idOf = (number: number) => PostId.make(`01a1fc17-0000-7000-8000-${String(number).padStart(12, "0")}`)
const integrationId = IntegrationId.make("01a1fc17-dc2e-777d-ad63-000000000001")

const send = (number: number, time: string, changes: Partial<PlannedSend> = {}): PlannedSend => ({
  postId: idOf(number),
  at: at(time),
  platform: "twitter",
  integrationId,
  texts: [`text ${number}`],
  refusesRepeats: true,
  ...changes
})

const found = (...args: Parameters<typeof findCollisions>) =>
  Array.from(finishSteps(findCollisions(...args)), ([id, findings]) => [
    id,
    findings.map(({ code, level }) => `${code} ${level}`)
  ])

describe("posts that collide", () => {
  it("A repeated text needs somebody where the platform refuses it, whenever the account posted it", () => {
    const published = [
      { platform: "twitter" as const, text: "text 1", at: DateTime.makeUnsafe("2026-11-01T09:00:00Z") }
    ]
    assert.deepStrictEqual(found([send(1, "09:00")], published), [[idOf(1), ["text_repeated needs_you"]]])
    assert.deepStrictEqual(
      found(
        [send(1, "09:00", { platform: "bluesky", refusesRepeats: false })],
        [{ platform: "bluesky", text: "text 1", at: DateTime.makeUnsafe("2026-11-01T09:00:00Z") }]
      ),
      []
    )
  })

  it("Of two scheduled posts with one text, the later one is named, and elsewhere than on X only as a note", () => {
    const two = (changes: Partial<PlannedSend>) => [
      send(1, "09:00", { texts: ["same"], ...changes }),
      send(2, "12:00", { texts: ["same"], ...changes })
    ]
    assert.deepStrictEqual(found(two({}), []), [[idOf(2), ["text_repeated needs_you"]]])
    assert.deepStrictEqual(found(two({ platform: "bluesky", refusesRepeats: false }), []), [
      [idOf(2), ["text_repeated note"]]
    ])
  })

  it("A thread does not repeat itself, and the same text on another platform is no repetition", () => {
    assert.deepStrictEqual(found([send(1, "09:00", { texts: ["same", "same"] })], []), [])
    assert.deepStrictEqual(
      found([send(1, "09:00", { texts: ["same"] }), send(2, "09:30", { texts: ["same"], platform: "bluesky" })], []),
      []
    )
  })

  it("Two posts within a minute are a note on the later one, and exactly a minute is far enough", () => {
    assert.deepStrictEqual(found([send(1, "09:00:00"), send(2, "09:00:59"), send(3, "09:01:59")], []), [
      [idOf(2), ["same_minute note"]]
    ])
  })
})

describe("the time of the next check", () => {
  const next = (now: string, hour: number | null, timeZone: string, checkedAt: string | null = null) => {
    const time = nextOutlook(DateTime.makeUnsafe(now), {
      hour,
      timeZone,
      checkedAt: checkedAt === null ? null : DateTime.makeUnsafe(checkedAt)
    })
    return time === null ? null : DateTime.formatIso(time)
  }

  it.each([
    ["in winter", "2026-11-30T12:00:00Z", "2026-11-30T16:00:00.000Z"],
    ["on the day when clocks go forward", "2027-03-28T00:30:00Z", "2027-03-28T15:00:00.000Z"],
    ["on the day when clocks go back", "2026-10-25T00:30:00Z", "2026-10-25T16:00:00.000Z"]
  ])("It is 17:00 on the workspace's clocks %s", (_, now, expected) => {
    assert.strictEqual(next(now, 17, "Europe/Berlin"), expected)
  })

  it("At an hour that clocks skip it comes an hour later, and at one that comes twice once", () => {
    assert.strictEqual(next("2027-03-28T00:00:00Z", 2, "Europe/Berlin"), "2027-03-28T01:00:00.000Z")
    assert.strictEqual(next("2026-10-24T23:00:00Z", 2, "Europe/Berlin"), "2026-10-25T00:00:00.000Z")
    assert.strictEqual(
      next("2026-10-25T00:00:01Z", 2, "Europe/Berlin", "2026-10-25T00:00:00Z"),
      "2026-10-26T01:00:00.000Z"
    )
  })

  it("A later hour of the same day does not make a second check, and without an hour there is none", () => {
    assert.strictEqual(next("2026-11-30T17:30:00Z", 19, "UTC", "2026-11-30T17:00:00Z"), "2026-12-01T19:00:00.000Z")
    assert.isNull(next("2026-11-30T17:30:00Z", null, "UTC"))
  })
})

const lost: Finding = {
  code: "account_lost",
  level: "needs_you",
  message: "X no longer accepts the account @acme",
  help: "Connect the account again",
  platform: "twitter",
  integration_id: integrationId
}
const withheld: Finding = { ...lost, code: "link_withheld", level: "note", message: "It answers no programs" }
const unchecked: Finding = { ...lost, code: "account_unchecked", level: "note", message: "X did not answer" }

const post = (number: number, time: string, ...findings: ReadonlyArray<Finding>) =>
  withState(
    {
      id: idOf(number),
      scheduled_at: at(time),
      status: "scheduled",
      excerpt: `Post ${number}`,
      platforms: ["twitter"]
    },
    findings
  )

const outlook = (posts: CheckedOutlook["posts"], unseen = 0): CheckedOutlook => ({
  from: at("00:00"),
  until: at("23:00"),
  isHeld: false,
  counts: countStates(posts, unseen),
  costEstimate: null,
  posts,
  usd: posts.map(() => 0.015),
  unseen
})

describe("the message about a check", () => {
  const tell = (checked: CheckedOutlook) => describeOutlook(checked, { hour: 17, timeZone: "Europe/Berlin" })

  it("It counts posts by their state, and names each finding with its time on the workspace's clocks", () => {
    assert.deepStrictEqual(tell(outlook([post(1, "09:00"), post(2, "10:00", lost), post(3, "11:00", unchecked)])), {
      title: "3 posts until tomorrow night: 1 is fine, 1 needs you, 1 could not be checked",
      message:
        "Tue 11:00 “Post 2”: X no longer accepts the account @acme. Connect the account again.\n" +
        "Tue 12:00 “Post 3”: X did not answer. Connect the account again."
    })
  })

  it("Five thousand posts with one fault are one line", () => {
    const posts = Array.from({ length: 5_000 }, (_, index) => post(index, "09:00", lost))
    const { message, title } = tell(outlook(posts, 1_200))
    assert.strictEqual(title, "6,200 posts until tomorrow night: 5,000 need you, 1,200 could not be checked")
    assert.strictEqual(
      message,
      "Tue 10:00 “Post 0” and 4,999 other posts: X no longer accepts the account @acme. Connect the account again.\n" +
        "1,200 later posts were not checked."
    )
  })

  it("It has at most twenty lines, and counts the others", () => {
    const posts = Array.from({ length: 30 }, (_, index) => post(index, "09:00", { ...lost, message: `Fault ${index}` }))
    const lines = tell(outlook(posts)).message.split("\n")
    assert.deepStrictEqual([lines.length, lines.at(-1)], [21, "And 10 other findings."])
  })

  it("A page that only refuses programs is worth no message", () => {
    assert.isFalse(isWorthTelling(outlook([post(1, "09:00", withheld)])))
    assert.isTrue(isWorthTelling(outlook([post(1, "09:00", unchecked)])))
    assert.isFalse(isWorthTelling(outlook([post(1, "09:00")])))
  })
})

describe("a remembered outlook", () => {
  it("It serves fewer hours, and neither more nor those of a window that was too full", () => {
    const checked = outlook([post(1, "01:00"), post(2, "10:00", lost)])
    assert.deepInclude(narrowOutlook(checked, 2)?.counts, { posts: 1, fine: 1 })
    assert.strictEqual(narrowOutlook(checked, Duration.toHours("23 hours")), checked)
    assert.isUndefined(narrowOutlook(checked, 24))
    assert.isUndefined(narrowOutlook({ ...checked, unseen: 1 }, 2))
  })

  it("What needs somebody comes first", () => {
    const posts = [post(1, "01:00"), post(2, "02:00", unchecked), post(3, "03:00", lost), post(4, "04:00", lost)]
    assert.deepStrictEqual(
      mostUrgent(posts, 3).map(({ id }) => id),
      [idOf(3), idOf(4), idOf(2)]
    )
  })
})
