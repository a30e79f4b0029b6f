import { assert, describe, it } from "vitest"
import { describeUnseen, describeUnseenRest } from "../../src/dashboard/pages/settings/unseenSecret.ts"

const apiError = (status: number) =>
  ({
    _tag: "ApiError",
    status,
    code: "invalid_request",
    detail: "One field is wrong",
    errors: [{ path: ["name"], message: "Too long" }],
    retryAfter: null,
    requestId: null,
    problem: {}
  }) as const

const lost = { _tag: "ConnectionError" } as const

describe("what is said where no answer told a secret", () => {
  it("What may have been made is named wherever the outcome is unknown, and nowhere else", () => {
    for (const error of [lost, apiError(408), apiError(500), apiError(503)]) {
      assert.match(describeUnseen(error, "agent"), /an agent may have been connected whose key nobody has seen/i)
      assert.match(describeUnseenRest(error, "webhook", ["name"]) ?? "", /a webhook may have been made/i)
    }
    assert.strictEqual(describeUnseen(apiError(409), "replacedSecret"), "One field is wrong.")
    assert.strictEqual(describeUnseenRest(apiError(400), "key", ["name"]), undefined)
    assert.strictEqual(describeUnseenRest(apiError(400), "key", ["email"]), "One field is wrong.")
    assert.strictEqual(describeUnseenRest(undefined, "invite", ["email"]), undefined)
  })
})
