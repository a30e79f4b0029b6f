import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import type { NewPost, PostPatch } from "../../../src/domain/posts/newPost.ts"
import type { PostChange, StoredPost } from "../../../src/domain/posts/postPlan.ts"
import { planCreate, planPublish, planUpdate } from "../../support/plans.ts"

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
  media: [],
  thread: [],
  revision: 1,
  createdByKey: null,
  approvalRequestedRevision: null,
  maybePublished: false,
  isSomewhereOut: false,
  hasUnknownOutcome: false,
  isBegun: false,
  isCopied: false
}

/** The tag of the error and the paths that it names; "accepted" without an error. */
const outcome = (planned: Result.Result<unknown, { readonly _tag: string }>) => {
  if (Result.isSuccess(planned)) return "accepted"
  const error = planned.failure
  const paths = "errors" in error && Array.isArray(error.errors) ? error.errors.map(({ path }) => path.join(".")) : []
  return [error._tag, ...paths].join(" ")
}

const statusAndTime = (planned: ReturnType<typeof planCreate>) =>
  Result.isSuccess(planned) ? [planned.success.status, planned.success.scheduledAt] : outcome(planned)

const long = "x".repeat(281)

describe("planCreate", () => {
  it("A post without a time is a draft", () => assert.deepStrictEqual(statusAndTime(created({})), ["draft", null]))

  it("A post with a time is scheduled for that time", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(5) })), ["scheduled", inMinutes(5)])
  })

  it("A time up to five minutes ago is kept, so that the post is due at once, and an earlier one is refused", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(-5) })), ["scheduled", inMinutes(-5)])
    assert.strictEqual(
      outcome(created({ schedule_at: DateTime.subtractDuration(inMinutes(-5), "1 milli") })),
      "InvalidRequest schedule_at"
    )
  })

  it("A post takes 64,000 bytes: its texts and tags as UTF-8, and its settings as JSON", () => {
    const fields = {
      content: "é".repeat(5_000),
      platform_overrides: { bluesky: "日".repeat(10_000), linkedin: "日".repeat(5_270) },
      platform_settings: { instagram: { collaborators: ["a".repeat(1_000)] } }
    }
    // 10,000, 30,000 and 15,810 bytes, {"instagram":{"collaborators":["a…"]}} of 1,036, and 49 tags of 146.
    const tags = Array.from({ length: 49 }, (_, index) => `${"日".repeat(48)}${10 + index}`)
    assert.strictEqual(outcome(created({ ...fields, tags })), "accepted")
    const refused = created({ ...fields, tags: [...tags, "é"] })
    assert.strictEqual(
      Result.isFailure(refused) && refused.failure.message,
      "content, platform_overrides, platform_settings, tags, thread and alt texts together may have 64,000 bytes, but these have 64,002"
    )
  })

  it("A time more than 180 days ahead is refused", () => {
    assert.strictEqual(outcome(created({ schedule_at: days(180) })), "accepted")
    assert.strictEqual(
      outcome(created({ schedule_at: DateTime.addDuration(days(180), "1 milli") })),
      "InvalidRequest schedule_at"
    )
  })

  it("A draft may have a time, and a scheduled post needs one", () => {
    assert.deepStrictEqual(statusAndTime(created({ schedule_at: inMinutes(5), status: "draft" })), [
      "draft",
      inMinutes(5)
    ])
    assert.strictEqual(outcome(created({ status: "scheduled" })), "InvalidRequest schedule_at")
  })

  it("A scheduled text has to fit the limit of each platform, and a draft's does not", () => {
    assert.strictEqual(outcome(created({ content: long })), "accepted")
    assert.strictEqual(outcome(created({ content: long, schedule_at: now })), "ContentTooLong content")
    assert.strictEqual(outcome(created({ content: long, schedule_at: now, platforms: ["bluesky"] })), "accepted")
    assert.strictEqual(
      outcome(created({ content: long, schedule_at: now, platform_overrides: { twitter: "short" } })),
      "accepted"
    )
  })

  it("A blank override is refused if it would be sent", () => {
    assert.strictEqual(
      outcome(created({ schedule_at: now, platform_overrides: { twitter: " " } })),
      "InvalidRequest platform_overrides.twitter"
    )
    assert.strictEqual(outcome(created({ schedule_at: now, platform_overrides: { bluesky: " " } })), "accepted")
  })
})

describe("planUpdate", () => {
  const updated = (patch: Parameters<typeof planUpdate>[1], from: Partial<StoredPost> = {}) =>
    planUpdate({ ...stored, ...from }, patch, now)

  it.each(["publishing", "published", "failed"] as const)("A %s post can't be changed", (status) => {
    assert.strictEqual(outcome(updated({ content: "Other" }, { status })), "InvalidState")
  })

  const unchanged: PostChange = {
    status: "scheduled",
    content: "Hello",
    platforms: ["twitter", "bluesky"],
    scheduledAt: inMinutes(10),
    tags: ["a"],
    overrides: {},
    settings: {},
    media: [],
    thread: [],
    revision: 1
  }

  it("Platforms that stay keep their order, added ones follow, and the same ones in another order are no change", () => {
    const change = (platforms: StoredPost["platforms"], from: Partial<StoredPost> = {}) =>
      Result.map(updated({ platforms }, from), (after) => [after.platforms.join(" "), after.revision])
    assert.deepStrictEqual(change(["bluesky", "twitter"]), Result.succeed(["twitter bluesky", 1]))
    assert.deepStrictEqual(change(["bluesky"]), Result.succeed(["bluesky", 2]))
    assert.deepStrictEqual(change(["threads", "bluesky"]), Result.succeed(["bluesky threads", 2]))
    assert.strictEqual(outcome(updated({ platforms: ["bluesky"] }, { isBegun: true })), "InvalidState")
    assert.strictEqual(outcome(updated({ platforms: ["bluesky", "twitter"] }, { isBegun: true })), "accepted")
  })

  it("An update changes only the fields that it names", () => {
    assert.deepStrictEqual(updated({ tags: [] }), Result.succeed({ ...unchanged, tags: [], revision: 2 }))
  })

  it("The overrides and the settings of an update replace the stored ones as a whole", () => {
    const from = { overrides: { twitter: "For X" }, settings: { twitter: { who_can_reply: "following" } } } as const
    assert.deepStrictEqual(
      updated({ platform_overrides: { bluesky: "For Bluesky" }, platform_settings: {} }, from),
      Result.succeed({ ...unchanged, overrides: { bluesky: "For Bluesky" }, settings: {}, revision: 2 })
    )
    assert.deepStrictEqual(updated({}, from), Result.succeed({ ...unchanged, ...from }))
  })

  it.each<[PostPatch, number]>([
    [{}, 1],
    [{ content: "Hello", tags: ["a"], scheduled_at: inMinutes(10) }, 1],
    [{ platform_overrides: {}, platform_settings: {} }, 1],
    [{ status: "draft" }, 1],
    [{ content: "Other" }, 2],
    [{ tags: ["b"] }, 2],
    [{ scheduled_at: inMinutes(11) }, 2],
    [{ platform_overrides: { twitter: "For X" } }, 2],
    [{ platform_settings: { twitter: { who_can_reply: "verified" } } }, 2],
    [{ content: "Other", tags: ["b"], scheduled_at: inMinutes(11) }, 2]
  ])("The revision grows by one if anything but the status changes: %o leads to %i", (patch, revision) => {
    assert.strictEqual(Result.getOrThrow(updated(patch)).revision, revision)
  })

  it("Every text that a scheduled post would send after an update has to fit, whichever member changes it", () => {
    assert.strictEqual(
      outcome(updated({ platform_overrides: { twitter: long } })),
      "ContentTooLong platform_overrides.twitter"
    )
    assert.strictEqual(
      outcome(updated({ platform_overrides: { twitter: " " } })),
      "InvalidRequest platform_overrides.twitter"
    )
    assert.strictEqual(outcome(updated({ content: long, platform_overrides: { twitter: "short" } })), "accepted")
    const hidden = { content: long, overrides: { twitter: "short" } }
    assert.strictEqual(outcome(updated({ platform_overrides: {} }, hidden)), "ContentTooLong content")
  })

  it("A draft that is given a time stays a draft", () => {
    const draft = { status: "draft", scheduledAt: null } as const
    assert.deepStrictEqual(
      updated({ scheduled_at: inMinutes(5) }, draft),
      Result.succeed({ ...unchanged, status: "draft", scheduledAt: inMinutes(5), revision: 2 })
    )
  })

  it("Only a draft may have no time", () => {
    assert.strictEqual(outcome(updated({ scheduled_at: null })), "InvalidRequest scheduled_at")
    assert.strictEqual(outcome(updated({ scheduled_at: null, status: "draft" })), "accepted")
    assert.strictEqual(
      outcome(updated({ status: "scheduled" }, { status: "draft", scheduledAt: null })),
      "InvalidRequest scheduled_at"
    )
  })

  it("An unchanged time is checked only when a draft is scheduled", () => {
    const kept = { scheduledAt: inMinutes(-6) }
    assert.strictEqual(outcome(updated({ content: "Other" }, kept)), "accepted")
    assert.strictEqual(
      outcome(updated({ status: "scheduled" }, { ...kept, status: "draft" })),
      "InvalidRequest scheduled_at"
    )
  })

  it("A text has to fit when it is scheduled, whether the text or the status changes", () => {
    assert.strictEqual(outcome(updated({ content: long })), "ContentTooLong content")
    assert.strictEqual(
      outcome(updated({ status: "scheduled" }, { status: "draft", content: long })),
      "ContentTooLong content"
    )
    assert.strictEqual(outcome(updated({ content: long }, { status: "draft" })), "accepted")
  })

  it("What is sent can't be changed while an earlier attempt may have published it", () => {
    const sent = { maybePublished: true }
    assert.strictEqual(outcome(updated({ content: "Other" }, sent)), "InvalidState")
    assert.strictEqual(outcome(updated({ platform_overrides: { twitter: "Other" } }, sent)), "InvalidState")
    assert.strictEqual(
      outcome(updated({ platform_settings: { twitter: { who_can_reply: "verified" } } }, sent)),
      "InvalidState"
    )
    assert.strictEqual(outcome(updated({ content: "Hello", tags: [] }, sent)), "accepted")
  })
})

describe("A text that X refuses whatever its length", () => {
  const forbidden = "Hello\ufeff"

  it("The text is refused at its path, and not as too long", () => {
    const scheduled = { schedule_at: inMinutes(5) }
    assert.strictEqual(outcome(created({ ...scheduled, content: forbidden })), "InvalidRequest content")
    assert.strictEqual(
      outcome(created({ ...scheduled, platform_overrides: { twitter: forbidden } })),
      "InvalidRequest platform_overrides.twitter"
    )
    assert.strictEqual(outcome(planUpdate(stored, { content: forbidden }, now)), "InvalidRequest content")
    assert.strictEqual(outcome(planPublish({ ...stored, content: forbidden })), "InvalidRequest content")
  })

  it("The text is accepted in drafts and for other platforms", () => {
    assert.strictEqual(outcome(created({ content: forbidden })), "accepted")
    assert.strictEqual(
      outcome(created({ schedule_at: inMinutes(5), content: forbidden, platforms: ["bluesky"] })),
      "accepted"
    )
  })
})

describe("planPublish", () => {
  it.each([
    ["draft", "accepted"],
    ["scheduled", "accepted"],
    ["failed", "accepted"],
    ["publishing", "accepted"],
    ["published", "InvalidState"]
  ] as const)("Publishing a %s post now ends as %s", (status, expected) => {
    assert.strictEqual(outcome(planPublish({ ...stored, status })), expected)
  })

  it("A post is not published again where copies have taken over all that failed of it", () => {
    assert.strictEqual(outcome(planPublish({ ...stored, status: "failed", isCopied: true })), "InvalidState")
  })

  it("A draft that is too long is refused", () => {
    assert.strictEqual(outcome(planPublish({ ...stored, status: "draft", content: long })), "ContentTooLong content")
  })
})

describe("The size of a post that is updated", () => {
  const large = Array.from({ length: 100 }, (_, index) => `${"日".repeat(253)}${100 + index}`)

  it("A change that makes a post larger than 64,000 bytes is refused", () => {
    const text = "日".repeat(10_000)
    const overrides = { linkedin: text, facebook: text, threads: text }
    assert.strictEqual(outcome(planUpdate(stored, { platform_overrides: overrides }, now)), "InvalidRequest ")
  })

  it("A post that is larger already can be changed, but not grow", () => {
    const old = { ...stored, status: "draft" as const, content: "日".repeat(10_000), tags: large }
    assert.strictEqual(outcome(planUpdate(old, { scheduled_at: null }, now)), "accepted")
    assert.strictEqual(outcome(planUpdate(old, { content: "Shorter" }, now)), "accepted")
    assert.strictEqual(outcome(planUpdate(old, { content: `${"日".repeat(9_999)}abcd` }, now)), "InvalidRequest ")
  })
})
