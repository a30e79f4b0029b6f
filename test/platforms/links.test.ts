import { assert, describe, it } from "@effect/vitest"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { liveFacts } from "../../src/platforms/facts.ts"
import { live } from "../../src/platforms/live.ts"

describe("the links of platforms", () => {
  it.each(livePlatforms)("Accounts on %s are connected in the way that its facts say", (platform) => {
    const { makeLink } = live[platform].connectStandIn("http://127.0.0.1:9", "http://127.0.0.1:9/site")
    assert.strictEqual(makeLink("live").kind, liveFacts[platform].link.kind)
  })
})
