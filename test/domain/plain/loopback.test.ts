import { assert, describe, it } from "@effect/vitest"
import { isLoopback } from "../../../src/domain/plain/loopback.ts"

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST", "localhost.", "a.b.localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"])(
    "%s is this machine",
    (host) => {
      assert.isTrue(isLoopback(host))
    }
  )

  it.each([
    "",
    "localhost.example",
    "notlocalhost",
    "127.0.0.1.example",
    "127.0.0",
    "128.0.0.1",
    "0.0.0.0",
    "::",
    "::ffff:127.0.0.1",
    "[::1].example",
    "localhost:3000"
  ])("%s is not", (host) => {
    assert.isFalse(isLoopback(host))
  })
})
