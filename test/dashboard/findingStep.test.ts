import { assert, describe, it } from "@effect/vitest"
import { stepOf } from "../../src/dashboard/shared/outlook/findingStep.ts"
import type { FindingCode } from "../../src/domain/outlook/finding.ts"

const post = "/posts/p1"
const compose = "/compose?post=p1"

/** The compiler requires a place for every finding. */
const expected: Readonly<Record<FindingCode, string | undefined>> = {
  post_unreadable: post,
  publishing_held: undefined,
  draft_unscheduled: post,
  draft_unapproved: "/approvals",
  platform_disabled: compose,
  account_missing: "/accounts",
  account_lost: "/accounts",
  account_unchecked: "/accounts",
  access_ending: "/accounts",
  spending_reached: undefined,
  text_refused: compose,
  text_repeated: compose,
  setting_refused: compose,
  file_missing: compose,
  file_refused: compose,
  file_processing: compose,
  file_unchecked: undefined,
  card_missing: compose,
  link_broken: compose,
  link_withheld: compose,
  link_unchecked: compose,
  mention_unknown: compose,
  mention_unchecked: compose,
  same_minute: post
}

const everybody = () => true

describe("the step of a finding", () => {
  it("Every finding leads to the page where its step is done, unless only the operator can help", () => {
    for (const [code, href] of Object.entries(expected)) {
      assert.strictEqual(stepOf({ code }, "p1", everybody)?.href, href, code)
    }
  })

  it("A finding of a later version leads to the post", () => {
    assert.strictEqual(stepOf({ code: "moon_in_the_way" }, "p1", everybody)?.href, post)
  })

  it("Somebody who can't edit or approve is led to the post instead", () => {
    const viewer = (scope: string) => scope === "posts:read"
    assert.strictEqual(stepOf({ code: "text_refused" }, "p1", viewer)?.href, post)
    assert.strictEqual(stepOf({ code: "draft_unapproved" }, "p1", viewer)?.href, post)
    assert.strictEqual(stepOf({ code: "account_lost" }, "p1", viewer)?.href, "/accounts")
  })
})
