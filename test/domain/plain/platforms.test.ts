import { assert, describe, it } from "@effect/vitest"
import { withPlatform } from "../../../src/domain/plain/platforms.ts"

describe("What is said of a platform", () => {
  it.each([
    ["X refused this post: Forbidden", "X refused this post: Forbidden"],
    ["The connection to X was lost before it answered", "The connection to X was lost before it answered"],
    ["There is no file to upload", "X: There is no file to upload"],
    ["The text has MAX characters", "X: The text has MAX characters"]
  ])("The platform's name is said once: %s", (message, said) => {
    assert.strictEqual(withPlatform("X", message), said)
  })
})
