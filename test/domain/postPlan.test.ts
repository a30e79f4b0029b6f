import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import type { NewPost } from "../../src/domain/newPost.ts"
import { planCreate, planPublish, planUpdate, type StoredPost } from "../../src/domain/postPlan.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const inMinutes = (minutes: number) => DateTime.addDuration(now, `${minutes} minutes`)
const days = (count: number) => DateTime.addDuration(now, `${count} days`)

const post: NewPost = { content: "Hello", platforms: ["twitter"] }
const created = (more: Partial<NewPost>) => planCreate({ ...post, ...more }, now)

const stored: StoredPost = {
  status: "scheduled",
  content: "Hello",
  platforms: ["twitter", "bluesky"],
  scheduledAt: inMinutes(10),
  tags: ["a"],
  overrides: {},
  settings: {},
  maybeOut: false
}

/** What was refused: the error's tag, and the paths it names. */
const refusal = (planned: Result.Result<unknown, { readonly _tag: string }>) => {
  if (Result.isSuccess(planned)) return "taken"
  const error = planned.failure
  const paths = "errors" in error && Array.isArray(error.errors) ? error.errors.map(({ path }) => path.join(".")) : []
  return [error._tag, ...paths].join(" ")
}

const statusAndTime = (planned: ReturnType<typeof planCreate>) =>
  Result.isSuccess(planned) ? [planned.success.status, planned.success.scheduledAt] : refusal(planned)

const long = "x".repeat(281)

describe("planCreate", () => {
  it("a post without a time is a draft", () => assert.deepStrictEqual(statusAndTime(created({})), ["draft", null]))

  it("a post with a time is scheduled for it", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(5) })), ["scheduled", inMinutes(5)])
  })

  it("a time that is past by up to five minutes counts as now, one that is older is refused", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(-5) })), ["scheduled", now])
    assert.strictEqual(
      refusal(created({ schedule_at: DateTime.subtractDuration(inMinutes(-5), "1 milli") })),
      "InvalidRequest schedule_at"
    )
  })

  it("180 days ahead is the furthest", () => {
    assert.strictEqual(refusal(created({ schedule_at: days(180) })), "taken")
    assert.strictEqual(
      refusal(created({ schedule_at: DateTime.addDuration(days(180), "1 milli") })),
      "InvalidRequest schedule_at"
    )
  })

  it("a draft may keep a time, and a scheduled post needs one", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(5), status: "draft" })), [
      "draft",
      inMinutes(5)
    ])
    assert.strictEqual(refusal(created({ status: "scheduled" })), "InvalidRequest schedule_at")
  })

  it("a scheduled text has to fit each platform, a draft's need not", () => {
    assert.strictEqual(refusal(created({ content: long })), "taken")
    assert.strictEqual(refusal(created({ content: long, schedule_at: now })), "ContentTooLong")
    assert.strictEqual(refusal(created({ content: long, schedule_at: now, platforms: ["bluesky"] })), "taken")
    assert.strictEqual(
      refusal(created({ content: long, schedule_at: now, platform_overrides: { twitter: "short" } })),
      "taken"
    )
  })

  it("an override that is blank is refused where it would be sent", () => {
    assert.strictEqual(
      refusal(created({ schedule_at: now, platform_overrides: { twitter: " " } })),
      "InvalidRequest platform_overrides.twitter"
    )
    assert.strictEqual(refusal(created({ schedule_at: now, platform_overrides: { bluesky: " " } })), "taken")
  })
})

describe("planUpdate", () => {
  const updated = (patch: Parameters<typeof planUpdate>[1], from: Partial<StoredPost> = {}) =>
    planUpdate({ ...stored, ...from }, patch, now)

  it.each(["publishing", "published", "failed"] as const)("a %s post can't be changed", (status) => {
    assert.strictEqual(refusal(updated({ content: "Other" }, { status })), "InvalidState")
  })

  it("changes only what is named", () => {
    assert.deepStrictEqual(
      updated({ tags: [] }),
      Result.succeed({ status: "scheduled", content: "Hello", scheduledAt: inMinutes(10), tags: [] })
    )
  })

  it("a time on a draft leaves it a draft", () => {
    const draft = { status: "draft", scheduledAt: null } as const
    assert.deepStrictEqual(
      updated({ scheduled_at: inMinutes(5) }, draft),
      Result.succeed({ status: "draft", content: "Hello", scheduledAt: inMinutes(5), tags: ["a"] })
    )
  })

  it("no time is for drafts", () => {
    assert.strictEqual(refusal(updated({ scheduled_at: null })), "InvalidRequest scheduled_at")
    assert.strictEqual(refusal(updated({ scheduled_at: null, status: "draft" })), "taken")
    assert.strictEqual(
      refusal(updated({ status: "scheduled" }, { status: "draft", scheduledAt: null })),
      "InvalidRequest scheduled_at"
    )
  })

  it("a kept time is checked when it begins to count, not while it stays as it was", () => {
    const kept = { scheduledAt: inMinutes(-6) }
    assert.strictEqual(refusal(updated({ content: "Other" }, kept)), "taken")
    assert.strictEqual(
      refusal(updated({ status: "scheduled" }, { ...kept, status: "draft" })),
      "InvalidRequest scheduled_at"
    )
  })

  it("the text of a scheduled post has to fit, also when a draft is scheduled", () => {
    assert.strictEqual(refusal(updated({ content: long })), "ContentTooLong")
    assert.strictEqual(refusal(updated({ status: "scheduled" }, { status: "draft", content: long })), "ContentTooLong")
    assert.strictEqual(refusal(updated({ content: long }, { status: "draft" })), "taken")
  })

  it("the text stays as it is while an earlier attempt may have put it out", () => {
    assert.strictEqual(refusal(updated({ content: "Other" }, { maybeOut: true })), "InvalidState")
    assert.strictEqual(refusal(updated({ tags: [] }, { maybeOut: true })), "taken")
  })
})

describe("a text that X takes at no length", () => {
  const forbidden = "Hello\ufeff"

  it("is refused where it stands, and not as one that is too long", () => {
    const scheduled = { schedule_at: inMinutes(5) }
    assert.strictEqual(refusal(created({ ...scheduled, content: forbidden })), "InvalidRequest content")
    assert.strictEqual(
      refusal(created({ ...scheduled, platform_overrides: { twitter: forbidden } })),
      "InvalidRequest platform_overrides.twitter"
    )
    assert.strictEqual(refusal(planUpdate(stored, { content: forbidden }, now)), "InvalidRequest content")
    assert.strictEqual(refusal(planPublish({ ...stored, content: forbidden })), "InvalidRequest content")
  })

  it("is a draft like any other, and no matter to other platforms", () => {
    assert.strictEqual(refusal(created({ content: forbidden })), "taken")
    assert.strictEqual(
      refusal(created({ schedule_at: inMinutes(5), content: forbidden, platforms: ["bluesky"] })),
      "taken"
    )
  })
})

describe("planPublish", () => {
  it.each([
    ["draft", "taken"],
    ["scheduled", "taken"],
    ["failed", "taken"],
    ["publishing", "InvalidState"],
    ["published", "InvalidState"]
  ] as const)("a %s post: %s", (status, expected) => {
    assert.strictEqual(refusal(planPublish({ ...stored, status })), expected)
  })

  it("a draft that is too long is refused", () => {
    assert.strictEqual(refusal(planPublish({ ...stored, status: "draft", content: long })), "ContentTooLong")
  })
})
