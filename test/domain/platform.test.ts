import { assert, describe, it } from "@effect/vitest"
import { isLive, Platform, whyNotConnected } from "../../src/domain/platform.ts"

describe("whyNotConnected", () => {
  it.each(Platform.literals)("The reason distinguishes a live platform from one in platform review: %s", (platform) => {
    const expected = isLive(platform)
      ? `${platform} is not connected in this workspace`
      : `${platform} is still in platform review and can't be connected yet`
    assert.strictEqual(whyNotConnected(platform), expected)
  })
})
