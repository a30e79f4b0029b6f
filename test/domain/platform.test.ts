import { assert, describe, it } from "@effect/vitest"
import { whyNotConnected } from "../../src/domain/enabled.ts"
import { isLive } from "../../src/domain/plain/platforms.ts"
import { Platform } from "../../src/domain/platform.ts"
import { rules } from "../support/plans.ts"

describe("whyNotConnected", () => {
  it.each(Platform.literals)("The reason why %s is not connected says whether it is in platform review", (platform) => {
    const expected = isLive(platform)
      ? `${platform} is not connected in this workspace`
      : `${platform} is still in platform review and can't be connected yet`
    assert.strictEqual(whyNotConnected(platform, rules), expected)
  })

  it("A platform that has an adapter and is not enabled here is in platform review", () => {
    const { bluesky } = rules
    assert.strictEqual(
      whyNotConnected("twitter", { bluesky }),
      "twitter is still in platform review and can't be connected yet"
    )
  })
})
