import { assert, describe, it } from "@effect/vitest"
import { isLive, Platform, whyNotConnected } from "../../src/domain/platform.ts"

describe("whyNotConnected", () => {
  it.each(Platform.literals)("tells a platform that can be connected from one in review: %s", (platform) => {
    const why = isLive(platform)
      ? `${platform} is not connected in this workspace`
      : `${platform} is still in platform review and can't be connected yet`
    assert.strictEqual(whyNotConnected(platform), why)
  })
})
