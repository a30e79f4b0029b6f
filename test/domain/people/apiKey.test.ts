import { assert, describe, it } from "@effect/vitest"
import {
  apiKeyPrefix,
  formatApiKey,
  hasScope,
  isWellFormedApiKey,
  Scope,
  secretFromDigits,
  secretLength
} from "../../../src/domain/people/apiKey.ts"

const key = formatApiKey(secretFromDigits(Array.from({ length: secretLength }, (_, index) => index)))

describe("API keys", () => {
  it("A key has the documented form", () => assert.match(key, /^sps_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/))

  it("A key contains its checksum", () => assert.isTrue(isWellFormedApiKey(key)))

  it("A key with one changed character is not well formed", () => {
    for (let index = 4; index < key.length; index++) {
      const changed = key.slice(0, index) + (key[index] === "a" ? "b" : "a") + key.slice(index + 1)
      assert.isFalse(isWellFormedApiKey(changed), changed)
    }
  })

  it.each(["", "sps_", key.slice(0, -1), `${key}0`, ` ${key}`, key.toUpperCase()])(
    "The malformed key %j is refused",
    (text) => assert.isFalse(isWellFormedApiKey(text))
  )

  it("The prefix identifies a key without revealing its secret", () =>
    assert.strictEqual(apiKeyPrefix(key), "sps_01234567"))
})

describe("scopes", () => {
  it("The scope posts:write covers posts:delete, and every other scope covers itself alone", () => {
    for (const scope of Scope.literals) {
      const covered = Scope.literals.filter((other) => hasScope([scope], other))
      assert.deepStrictEqual(covered, scope === "posts:write" ? ["posts:write", "posts:delete"] : [scope])
    }
  })
})
