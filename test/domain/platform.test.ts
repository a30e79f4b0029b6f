import { assert, describe, it } from "@effect/vitest"
import { whyNotConnected } from "../../src/domain/enabled.ts"
import { Platform } from "../../src/domain/platform.ts"
import { rules } from "../support/plans.ts"

describe("whyNotConnected", () => {
  it.each(Platform.literals)("%s is enabled here, and is not connected", (platform) => {
    assert.strictEqual(whyNotConnected(platform, rules), `${platform} is not connected in this workspace`)
  })

  it("A platform that has an adapter and is not enabled here is in platform review", () => {
    const { bluesky } = rules
    assert.strictEqual(
      whyNotConnected("twitter", { bluesky }),
      "twitter is still in platform review and can't be connected yet"
    )
  })
})
