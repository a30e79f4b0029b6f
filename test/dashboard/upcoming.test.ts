import { assert, describe, it } from "@effect/vitest"
import type { OutlookPostJson } from "../../src/dashboard/api/outlookJson.ts"
import { byState, sumUp, sumUpFine } from "../../src/dashboard/pages/upcoming/sumUp.ts"
import { isDueSoon, stillChecked } from "../../src/dashboard/shared/outlook/findChecked.ts"
import { post } from "./post.ts"

const finding = {
  code: "draft_unscheduled",
  level: "needs_you",
  message: "Nobody has scheduled it",
  help: "Schedule it",
  platform: null,
  integration_id: null
} as const

const checked = (
  id: string,
  state: OutlookPostJson["state"],
  changes: Partial<OutlookPostJson> = {}
): OutlookPostJson => ({
  id,
  scheduled_at: "2026-10-24T07:00:00.000Z",
  status: "scheduled",
  excerpt: `Post ${id}`,
  platforms: ["twitter"],
  state,
  findings: state === "needs_you" ? [finding] : [],
  ...changes
})

const counts = { posts: 0, fine: 0, need_you: 0, unchecked: 0 }

describe("what is due soon", () => {
  it("The sum names the states that posts have, and no others", () => {
    assert.deepStrictEqual(
      [
        sumUp(counts),
        sumUp({ ...counts, posts: 1, fine: 1 }),
        sumUp({ ...counts, posts: 1200, fine: 1200 }),
        sumUp({ ...counts, posts: 1, need_you: 1 }),
        sumUp({ posts: 9, fine: 1, need_you: 6, unchecked: 2 })
      ],
      [
        "0 posts",
        "1 post: it is fine",
        "1,200 posts: all are fine",
        "1 post: 1 needs you",
        "9 posts: 1 is fine, 6 need you, 2 could not be checked"
      ]
    )
  })

  it("The folded posts are counted, even those that are not listed, and notes are named", () => {
    const noted = checked("b", "fine", { findings: [{ ...finding, level: "note" }] })
    assert.strictEqual(sumUpFine(1, [checked("a", "fine")]), "1 post is fine")
    assert.strictEqual(sumUpFine(2, [checked("a", "fine"), noted]), "2 posts are fine, 1 with a note")
    assert.strictEqual(sumUpFine(300, [noted, noted]), "300 posts are fine, 2 of them listed, 2 with notes")
  })

  it("Posts are divided by their state, in the order of the service", () => {
    const posts = [checked("a", "needs_you"), checked("b", "unchecked"), checked("c", "fine"), checked("d", "fine")]
    const { fine, needing, unchecked } = byState(posts)
    assert.deepStrictEqual(
      [needing, unchecked, fine].map((list) => list.map(({ id }) => id)),
      [["a"], ["b"], ["c", "d"]]
    )
  })

  it("A check says nothing about a post that was moved, published or made a draft since", () => {
    const found = checked("a", "needs_you")
    assert.strictEqual(stillChecked(found, post("a")), found)
    assert.strictEqual(stillChecked(found, post("a", { scheduled_at: "2026-10-24T09:00:00+02:00" })), found)
    assert.isUndefined(stillChecked(found, post("a", { scheduled_at: "2026-10-24T08:00:00.000Z" })))
    assert.isUndefined(stillChecked(found, post("a", { scheduled_at: null })))
    assert.isUndefined(stillChecked(found, post("a", { status: "publishing" })))
    assert.isUndefined(stillChecked(found, post("a", { status: "draft" })))
    assert.isUndefined(stillChecked(undefined, post("a")))
  })

  it("A check covers scheduled posts and drafts with a time, from now on for 36 hours", () => {
    const isDue = (now: string, changes = {}) => isDueSoon(post("a", changes), new Date(now))
    assert.isTrue(isDue("2026-10-22T19:00:00.000Z"))
    assert.isTrue(isDue("2026-10-24T06:59:59.999Z", { status: "draft" }))
    assert.isFalse(isDue("2026-10-22T18:59:59.999Z"))
    assert.isFalse(isDue("2026-10-24T07:00:00.000Z"))
    assert.isFalse(isDue("2026-10-24T06:00:00.000Z", { scheduled_at: null }))
    assert.isFalse(isDue("2026-10-24T06:00:00.000Z", { status: "published" }))
  })
})
