import { assert, describe, it } from "@effect/vitest"
import { describeWaitingFor } from "../../src/dashboard/pages/accounts/waiting.ts"

describe("describeWaitingFor", () => {
  it("What waits for an account is counted in a sentence as people say it", () => {
    const say = (scheduled: number, drafts: number, failed: number) =>
      describeWaitingFor({ scheduled, drafts, failed }, "@acme")
    assert.strictEqual(say(30, 12, 2), "30 scheduled posts, 12 drafts, and 2 failed posts wait for @acme.")
    assert.strictEqual(say(0, 1, 0), "1 draft waits for @acme.")
    assert.strictEqual(say(1, 0, 1), "1 scheduled post and 1 failed post wait for @acme.")
    assert.strictEqual(say(0, 0, 0), "Nothing waits for @acme.")
  })
})
