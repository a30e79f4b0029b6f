import { assert, describe, it } from "@effect/vitest"
import { isLive } from "../../src/domain/plain/platforms.ts"
import { Platform, whyNotConnected } from "../../src/domain/platform.ts"

describe("whyNotConnected", () => {
  it.each(Platform.literals)("The reason why %s is not connected says whether it is in platform review", (platform) => {
    const expected = isLive(platform)
      ? `${platform} is not connected in this workspace`
      : `${platform} is still in platform review and can't be connected yet`
    assert.strictEqual(whyNotConnected(platform), expected)
  })
})
