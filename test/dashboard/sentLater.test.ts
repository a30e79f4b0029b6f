import { assert, describe, it } from "@effect/vitest"
import { sentLater } from "../../src/dashboard/shared/sentLater.ts"
import type { PostJson } from "./post.ts"

const target = (platform: "bluesky" | "twitter", at: string | null): PostJson["post_targets"][number] => ({
  status: at === null ? "failed" : "published",
  platform_post_url: null,
  published_at: at,
  error: null,
  account_id: null,
  parts: null,
  copied_to: null,
  integrations: { platform }
})

describe("What of a post went out later than planned", () => {
  it("Names the platforms where it went out days later, and not where it went out at its time", () => {
    const targets = [target("twitter", "2026-10-24T07:00:01.000Z"), target("bluesky", "2026-10-26T12:00:00.000Z")]
    assert.deepStrictEqual(sentLater({ scheduled_at: "2026-10-24T07:00:00.000Z", post_targets: targets }), [
      { platform: "Bluesky", at: "2026-10-26T12:00:00.000Z" }
    ])
  })

  it("Names nothing where nothing is out, or no time was planned", () => {
    const late = target("bluesky", "2026-10-26T12:00:00.000Z")
    assert.isEmpty(sentLater({ scheduled_at: "2026-10-24T07:00:00.000Z", post_targets: [target("bluesky", null)] }))
    assert.isEmpty(sentLater({ scheduled_at: null, post_targets: [late] }))
  })
})
