import { assert, describe, it } from "@effect/vitest"
import { mayBeOutAlready } from "../../src/dashboard/pages/compose/earlierOutcome.ts"

const entry = (type: string, data: Readonly<Record<string, string>> = {}, by: string | null = null) => ({
  event: { type, data },
  by: by === null ? null : { name: by }
})

const failed = (platform: string, error_code: string, by: string | null = null) =>
  entry("post.target.failed", { platform, error_code }, by)

describe("What a post's history says of its last outcomes", () => {
  it("A post whose last outcome on a platform is unknown may be out, whatever was changed since", () => {
    const history = [entry("post.scheduled"), failed("bluesky", "rejected"), failed("twitter", "outcome_unknown")]
    assert.isTrue(mayBeOutAlready(history))
  })

  it("A post whose later outcome on that platform is known is not in doubt", () => {
    const unknown = failed("twitter", "outcome_unknown")
    assert.isFalse(mayBeOutAlready([failed("twitter", "rejected"), unknown]))
    assert.isFalse(mayBeOutAlready([failed("twitter", "outcome_unknown", "Grace"), unknown]))
    assert.isTrue(mayBeOutAlready([failed("bluesky", "rejected"), unknown]))
  })

  it("A post that was never sent is not in doubt", () => {
    assert.isFalse(mayBeOutAlready([entry("post.scheduled"), entry("post.updated")]))
    assert.isFalse(mayBeOutAlready([]))
  })
})
