import { assert, describe, it } from "@effect/vitest"
import { platformDetail } from "../../src/platforms/platformText.ts"

describe("platformDetail", () => {
  it("The detail is one line of at most 300 characters", () => {
    assert.strictEqual(platformDetail(" a\u0000b\n\tc "), "a b c")
    assert.strictEqual(platformDetail("word ".repeat(100)).length, 301)
  })

  it("The detail does not contain anything that could be a token", () => {
    assert.strictEqual(
      platformDetail(`Bad token eyJ0${"aB3_".repeat(20)}.x-y for did:plc:abc`),
      "Bad token … for did:plc:abc"
    )
  })
})
