import { assert, describe, it } from "@effect/vitest"
import { mayBeOutAlready } from "../../src/dashboard/pages/compose/earlierOutcome.ts"

const entry = (type: string, data: Readonly<Record<string, string>> = {}, by: string | null = null) => ({
  event: { type, data },
  by: by === null ? null : { name: by }
})

const failed = (platform: string, error_code: string, by: string | null = null) =>
  entry("post.target.failed", { platform, error_code }, by)

const unknown = failed("twitter", "outcome_unknown")

describe("What a post's history says of its earlier outcomes", () => {
  it("A post whose outcome on a platform is unknown may be out, whatever was changed since", () => {
    assert.isTrue(mayBeOutAlready([entry("post.scheduled"), failed("bluesky", "rejected"), unknown]))
  })

  it.each(["rejected", "needs_reconnect", "gave_up"])(
    "A post whose later attempt failed as %s may be out by the earlier one",
    (code) => {
      assert.isTrue(mayBeOutAlready([failed("twitter", code), unknown]))
    }
  )

  it("A post that was looked for and not found before its last attempt failed may be out", () => {
    const looked = entry("post.target.retried", { platform: "twitter", error_code: "outcome_unknown" })
    assert.isTrue(mayBeOutAlready([failed("twitter", "needs_reconnect"), looked]))
  })

  it("A post that was found to be out, or of which a person has said what became of it, is not in doubt", () => {
    assert.isFalse(mayBeOutAlready([entry("post.target.published", { platform: "twitter" }), unknown]))
    assert.isFalse(mayBeOutAlready([failed("twitter", "outcome_unknown", "Grace"), unknown]))
    assert.isFalse(mayBeOutAlready([failed("twitter", "gave_up", "Grace"), unknown]))
  })

  it("What is known of one platform, or was known before, ends no doubt", () => {
    assert.isTrue(mayBeOutAlready([entry("post.target.published", { platform: "bluesky" }), unknown]))
    assert.isTrue(mayBeOutAlready([unknown, failed("twitter", "outcome_unknown", "Grace")]))
  })

  it("A post that was never sent is not in doubt", () => {
    assert.isFalse(mayBeOutAlready([entry("post.scheduled"), entry("post.updated")]))
    assert.isFalse(mayBeOutAlready([]))
  })
})
